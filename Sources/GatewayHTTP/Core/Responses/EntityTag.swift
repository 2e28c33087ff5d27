internal import Cryptography
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// The entity tag of a representation (RFC 9110 section 8.8.3): a strong tag over its JSON.
struct EntityTag: Equatable, Sendable {
    /// The tag as in the header, with its quotes.
    let text: String

    /// Computes the tag of a JSON text.
    init(of json: Data) {
        let digest = StrictBase64.encode(Array(SHA256.hash(data: json).prefix(12)), .standard)
        text = "\"" + digest + "\""
    }

    /// Computes the tag of a value as it is encoded in a response.
    init(of value: some Encodable) throws { self.init(of: try ResponseFactory.encoded(value)) }

    /// Whether a list of tags in a header contains this one; `*` matches every tag.
    ///
    /// `If-None-Match` compares weakly, `If-Match` strongly: a weak tag never matches (RFC 9110 sections 8.8.3.2 and
    /// 13.1).
    func isNamed(in header: String, weakly: Bool) -> Bool {
        header.byteSplit(",").contains { part in
            let tag = part.trimmingBlanks
            return tag.hasSameBytes(as: "*") || tag.hasSameBytes(as: text)
                || weakly && tag.hasSameBytes(as: "W/" + text)
        }
    }
}

extension Call {
    /// Returns the response with a value and its tag; 304 without the value when the caller has it already.
    func tagged(_ value: some Encodable) throws -> Response { tagged(json: try ResponseFactory.encoded(value)) }

    /// The same for JSON text.
    func tagged(json: Data) -> Response {
        let tag = EntityTag(of: json)
        if let known = request.headers[.ifNoneMatch], tag.isNamed(in: known, weakly: true) {
            return Response(status: .notModified, headers: [.eTag: tag.text])
        }
        var response = ResponseFactory.json(.ok, ByteBuffer(bytes: json))
        response.headers[.eTag] = tag.text
        return response
    }

    /// Returns the response with a changed value and its new tag.
    func changed(_ status: HTTPResponse.Status, _ value: some Encodable) throws -> Response {
        let json = try ResponseFactory.encoded(value)
        var response = ResponseFactory.json(status, ByteBuffer(bytes: json))
        response.headers[.eTag] = EntityTag(of: json).text
        return response
    }

    /// Whether the caller's `If-Match` and `If-None-Match` hold for the state that it wants to change.
    ///
    /// A change that is based on an outdated state is rejected. The API has no 412: the error is `conflict`.
    ///
    /// - Parameter current: The tag of the current state; nil when there is none.
    /// - Returns: False when the state must not be changed.
    func mayChange(_ current: EntityTag?) -> Bool {
        if let wanted = request.headers[.ifMatch] {
            guard let current, current.isNamed(in: wanted, weakly: false) else { return false }
        }
        if let unwanted = request.headers[.ifNoneMatch], let current, current.isNamed(in: unwanted, weakly: true) {
            return false
        }
        return true
    }
}
