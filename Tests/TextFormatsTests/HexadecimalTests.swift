import Testing
import TextFormats

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("bytes are two lower-case digits each")
    func text() {
        let bytes: [UInt8] = [0x00, 0x01, 0x0F, 0x10, 0x9A, 0xFF]
        #expect(Hexadecimal.text(bytes) == "00010f109aff" && Hexadecimal.text(bytes[..<0]).isEmpty)
    }

    @Test("every byte is the digit that Swift reads, in either case, or none", arguments: UInt8.min...UInt8.max)
    func values(byte: UInt8) {
        let expected = byte < 0x80 ? UInt8(String(UnicodeScalar(byte)), radix: 16) : nil
        #expect(Hexadecimal.value(of: byte) == expected)
    }

    @Test("a digit has the value it was written for", arguments: UInt8(0)...15)
    func digits(value: UInt8) {
        #expect(String(UnicodeScalar(Hexadecimal.digit(value))) == String(value, radix: 16))
        #expect(String(UnicodeScalar(Hexadecimal.upperCaseDigit(value))) == String(value, radix: 16, uppercase: true))
        #expect(Hexadecimal.value(of: Hexadecimal.digit(value)) == value)
        #expect(Hexadecimal.value(of: Hexadecimal.upperCaseDigit(value)) == value)
    }
}
