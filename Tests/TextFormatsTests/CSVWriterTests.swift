import Testing
import TextFormats

@Suite("CSV")
struct CSVWriterTests {
    private func row(_ texts: String?...) -> String {
        var writer = CSVWriter(capacity: 64)
        for text in texts { writer.text(text) }
        writer.endRow()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("texts are quoted, quotation marks doubled, and what is absent is empty")
    func quoting() {
        #expect(row("a", nil, "b,c") == "\"a\",,\"b,c\"\r\n")
        #expect(row("say \"hi\"", "") == "\"say \"\"hi\"\"\",\"\"\r\n")
        #expect(row("two\nlines") == "\"two\nlines\"\r\n")
        #expect(row(nil, nil) == ",\r\n")
        var writer = CSVWriter(capacity: 8)
        writer.integer(-5)
        writer.integer(nil)
        writer.integer(7)
        writer.endRow()
        writer.text("ü")
        writer.endRow()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "-5,,7\r\n\"ü\"\r\n")
    }

    @Test(
        "a text that a spreadsheet would evaluate stays a text",
        arguments: [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "  +1", "\u{FF1D}1", "\u{FF0B}1",
            "\u{FF0D}1",
            "\u{FF20}1", "=\u{301}", "=HYPERLINK(\"https://x.example\")",
        ]
    )
    func formula(text: String) {
        let escaped = text.replacing("\"", with: "\"\"")
        #expect(row(text) == "\"'\(escaped)\"\r\n")
    }

    @Test("other texts are not changed", arguments: ["a=1", "1-1", "u@example.com", "'=1", " a", "#REF!"])
    func harmless(text: String) {
        #expect(row(text) == "\"\(text)\"\r\n")
    }
}
