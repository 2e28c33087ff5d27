import Testing

@testable import TextFormats

@Suite("Folders of paths")
struct PathFolderTests {
    @Test(
        "everything before the last name",
        arguments: [
            ("d", ""), ("data", ""), ("data/", ""), ("ä", ""), ("", ""), ("/", "/"), ("//", "/"), ("/d", "/"),
            ("//d/", "/"), ("./d", "."), ("a/b", "a"), ("a//b//", "a"), ("/var/lib/switchboard", "/var/lib"),
        ]
    )
    func folder(path: String, folder: String) { #expect(path.folderOfPath == folder) }
}
