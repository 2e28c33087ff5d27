import Testing
import TextFormats

@Suite("JSON pointers (RFC 6901)")
struct StrictJSONPointerTests {
    /// The document of RFC 6901 section 5, and a name with a combining mark.
    private static let text = #"""
        {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"é":9}
        """#

    private static var document: StrictJSON {
        get throws { try StrictJSON.parse(Array(text.utf8)) }
    }

    @Test(
        "find the values of the specification's example",
        arguments: [
            ("/foo/0", .string("bar")), ("/", .integer(0)), ("/a~1b", .integer(1)), ("/c%d", .integer(2)),
            ("/e^f", .integer(3)), ("/g|h", .integer(4)), (#"/i\j"#, .integer(5)), (#"/k"l"#, .integer(6)),
            ("/ ", .integer(7)), ("/m~0n", .integer(8)), ("/\u{E9}", .integer(9)),
        ] as [(String, StrictJSON)]
    )
    func finds(pointer: String, value: StrictJSON) throws {
        #expect(try Self.document.value(at: pointer) == value)
        #expect(StrictJSON.Pointer(pointer)?.text == pointer)
    }

    @Test("the empty pointer is the whole document")
    func whole() throws {
        let document = try Self.document
        #expect(document.value(at: "") == document)
        #expect(StrictJSON.Pointer("") != nil)
    }

    @Test(
        "find nothing where there is nothing; names are compared as bytes",
        arguments: [
            "/foo/2", "/foo/-", "/foo/00", "/foo/+1", "/foo/bar", "/foo/", "/nothing", "/a/b", "/foo/0/x", "/e\u{301}",
            "/foo/99999999999999999999",
        ]
    )
    func nothing(pointer: String) throws {
        #expect(try Self.document.value(at: pointer) == nil)
        #expect(StrictJSON.Pointer(pointer)?.text == pointer)
    }

    @Test("other texts are no pointers", arguments: ["foo", "foo/0", "/a~", "/a~2b", "/~~0", " /foo"])
    func others(text: String) throws {
        #expect(StrictJSON.Pointer(text) == nil)
        #expect(try Self.document.value(at: text) == nil)
    }
}
