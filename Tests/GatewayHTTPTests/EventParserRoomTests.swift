import CSimdjson
import Testing

@Suite("Buffers of an event parser")
struct EventParserRoomTests {
    @Test("buffers grow by doubling, up to the limit")
    func growth() throws {
        let parser = try #require(event_parser_new(20_000, 64))
        defer { event_parser_delete(parser) }
        var sizes: [Int] = []
        for count in [100, 4097, 8000, 9000, 17_000, 20_000, 20_001] {
            var text = Array(#"{"id":""#.utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: count)
            text = text.prefix(count - 2) + Array(#""}"#.utf8)
            var members = event_members()
            let status = text.withUnsafeBufferPointer {
                event_parser_read(parser, $0.baseAddress, $0.count, $0.count, EVENT_PLAIN, &members)
            }
            #expect(status == (count > 20_000 ? EVENT_TOO_LARGE : EVENT_READ))
            sizes.append(event_parser_capacity(parser))
        }
        #expect(sizes == [4096, 8192, 8192, 16_384, 20_000, 20_000, 20_000])
    }
}
