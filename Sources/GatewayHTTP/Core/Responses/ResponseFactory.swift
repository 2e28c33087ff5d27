internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import TextFormats

/// Creates responses.
enum ResponseFactory {
    /// A response with JSON text that was written by hand.
    static func json(
        _ status: HTTPResponse.Status,
        _ writer: JSONWriter,
        contentType: String = "application/json"
    ) -> Response {
        json(status, ByteBuffer(bytes: writer.bytes), contentType: contentType)
    }

    /// A response with JSON text.
    static func json(_ status: HTTPResponse.Status, _ body: ByteBuffer) -> Response {
        json(status, body, contentType: "application/json")
    }

    /// A response with JSON text.
    static func json(_ status: HTTPResponse.Status, _ body: ByteBuffer, contentType: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: contentType, .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body)
        )
    }

    /// A response with one JSON value, which `write` appends.
    static func json(_ status: HTTPResponse.Status, capacity: Int, _ write: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return json(status, writer)
    }

    /// A response with a JSON object, whose members `write` appends.
    static func object(_ status: HTTPResponse.Status, capacity: Int, _ write: (inout JSONWriter) -> Void) -> Response {
        json(status, capacity: capacity) { writer in
            writer.literal("{")
            write(&writer)
            writer.literal("}")
        }
    }

    /// A response with a value encoded as JSON; for rarely used routes.
    static func json(_ status: HTTPResponse.Status, _ value: some Encodable) throws -> Response {
        json(status, ByteBuffer(bytes: try encoded(value)))
    }

    /// Encodes a value as JSON with sorted members, so that equal values have equal texts.
    static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return try encoder.encode(value)
    }

    /// A response with plain text.
    static func text(_ text: String) -> Response {
        json(.ok, ByteBuffer(string: text), contentType: "text/plain; charset=utf-8")
    }

    /// A response without a body.
    static let noContent = Response(status: .noContent)

    /// A response with a page of a list; `item` writes one item.
    static func page<Items: Collection>(
        _ items: Items,
        next: String?,
        item: (inout JSONWriter, Items.Element) -> Void
    ) -> Response {
        object(.ok, capacity: 64 + items.count * 256) { writer in
            writer.array("items", items, item)
            writer.member("nextCursor", orNull: next)
        }
    }
}

extension Response {
    /// The response body as bytes.
    func collected() async throws -> [UInt8] {
        let writer = CollectingWriter()
        try await body.write(writer)
        return writer.bytes.withLock { $0 }
    }
}
