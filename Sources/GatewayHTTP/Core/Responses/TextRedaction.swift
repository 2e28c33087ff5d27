internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// Leaves out of a response what was written to consumers and how to reach them: the one place, for every route.
///
/// The members are recognized by their names, wherever they are. A response of another type than JSON and server-sent
/// events is rejected, exports among them, so that a new route shows nothing by mistake.
enum TextRedaction {
    /// The names of the members that are left out.
    private static let names = ["text", "title", "data", "nickname", "content", "email", "phone"].map { Array($0.utf8) }

    /// Returns a response without the members; throws `Problem` 403 for one of another type.
    static func redacted(_ response: Response) async throws -> Response {
        var response = response
        // A hash of what is left out, and its length, which the response to HEAD has without it.
        response.headers[.eTag] = nil
        if response.headers.contains(.contentLength) { response.headers[.contentLength] = "0" }
        guard response.body.contentLength != 0 else { return response }
        switch response.headers[.contentType].map(MediaTypeName.init) {
        case "application/json"?:
            let bytes = redacted(try await response.collected()[...])
            response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            response.headers[.contentLength] = String(bytes.count)
        case "text/event-stream"?:
            let body = response.body
            response.headers[.contentLength] = nil
            response.body = ResponseBody { try await body.write(LineWriter(parent: $0)) }
        default: throw Problem.forbidden
        }
        return response
    }

    /// Writes whole lines without the members.
    private struct LineWriter: ResponseBodyWriter {
        var parent: any ResponseBodyWriter
        /// The beginning of a line whose end has not been written.
        private var rest: [UInt8] = []

        init(parent: any ResponseBodyWriter) { self.parent = parent }

        @concurrent
        mutating func write(_ buffer: ByteBuffer) async throws {
            rest += buffer.readableBytesView
            guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
            let lines = TextRedaction.redacted(rest[...end])
            rest.removeFirst(end + 1)
            try await parent.write(ByteBuffer(bytes: lines))
        }

        @concurrent
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            if !rest.isEmpty { try await parent.write(ByteBuffer(bytes: TextRedaction.redacted(rest[...]))) }
            try await parent.finish(trailingHeaders)
        }
    }

    /// Returns JSON, or lines of it, without the members.
    ///
    /// - Parameter text: Text of the gateway's own writer. Where a caller's JSON is within it, unchanged, it is the value
    ///   of a member that is left out.
    /// - Returns: The text without the members and their commas.
    static func redacted(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var (kept, place) = ([UInt8](), text.startIndex)
        kept.reserveCapacity(text.count)
        while place < text.endIndex {
            guard text[place] == UInt8(ascii: "\"") else {
                kept.append(text[place])
                place += 1
                continue
            }
            let end = text.endOfJSONString(place)
            let isName = end < text.endIndex && text[end] == UInt8(ascii: ":")
            guard isName, names.contains(where: { $0.elementsEqual(text[place + 1..<end - 1]) }) else {
                kept += text[place..<end]
                place = end
                continue
            }
            place = text.endOfJSONValue(end + 1)
            // The comma before the member, or for the first one the comma after it.
            if kept.last == UInt8(ascii: ",") {
                kept.removeLast()
            } else if place < text.endIndex, text[place] == UInt8(ascii: ",") {
                place += 1
            }
        }
        return kept
    }
}
