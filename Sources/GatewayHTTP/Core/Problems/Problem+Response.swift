internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

extension Problem {
    /// Returns the complete response, in the format of the route; one format states the time.
    func response(
        requestID: String,
        shape: ErrorShape = .problem,
        at now: Timestamp = Timestamp(milliseconds: 0)
    ) -> Response {
        if shape == .page { return completed(ConsolePage.response(to: self)) }
        let status = status(in: shape)
        let body = body(requestID: requestID, shape: shape, at: now)
        var response =
            shape == .problem
            ? ResponseFactory.json(
                HTTPResponse.Status(code: status, reasonPhrase: title),
                body,
                contentType: "application/problem+json"
            ) : ResponseFactory.json(HTTPResponse.Status(code: status), body)
        response = completed(response)
        if status == 426 {
            // RFC 9110 sections 7.8 and 15.5.22, RFC 6455 section 4.4.
            response.headers[.upgrade] = "websocket"
            response.headers[.connection] = "upgrade"
            response.headers[.secWebSocketVersion] = "13"
        }
        switch code {
        case .unauthorized:
            response.headers.append(HTTPField(name: .wwwAuthenticate, value: #"Bearer realm="switchboard""#))
            response.headers.append(
                HTTPField(name: .wwwAuthenticate, value: #"Basic realm="switchboard", charset="UTF-8""#)
            )
        case .tokenExpired, .tokenInvalid:
            // RFC 6750 section 3.1.
            response.headers[.wwwAuthenticate] =
                #"Bearer realm="switchboard", error="invalid_token", error_description="\#(detail)""#
        default: break
        }
        return response
    }

    /// Returns the body of the response; empty for a page.
    func body(requestID: String, shape: ErrorShape, at now: Timestamp) -> ByteBuffer {
        var writer = JSONWriter(capacity: 384)
        switch shape {
        case .problem: write(to: &writer, requestID: requestID)
        case .adaptor, .campaign: writeEnvelope(to: &writer, requestID: requestID, isCampaign: shape == .campaign)
        case .bloomreach: writeBloomreach(to: &writer, isByMember: false)
        case .bloomreachAttributes: writeBloomreach(to: &writer, isByMember: true)
        case .gorush: writeGorush(to: &writer, status: status(in: shape))
        case .liveperson: writeLivePerson(to: &writer, status: status(in: shape), at: now)
        case .page: break
        }
        return ByteBuffer(bytes: writer.bytes)
    }

    /// Returns the status of the response: the systems behind the adaptors only know 400 for an invalid request (R3, R24).
    private func status(in shape: ErrorShape) -> Int { shape != .problem && status == 422 ? 400 : status }

    /// Adds the fields that a response has in every format.
    private func completed(_ response: Response) -> Response {
        var response = response
        if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
        rate?.write(to: &response.headers)
        if !allow.isEmpty { response.headers[.allow] = allow.joined(separator: ", ") }
        return response
    }

    /// The error of a request whose body did not arrive.
    static let slowBody = Problem(.invalidRequest, status: 408, "The request did not arrive in time.")

    /// Returns the response to a request that does not reach the routes; with the caller's id of the request, if any.
    func message(requestID: String?) -> (head: HTTPResponse, body: ByteBuffer) {
        let id = RequestID(header: requestID).text
        var writer = JSONWriter(capacity: 384)
        write(to: &writer, requestID: id)
        var head = response(requestID: id).head
        head.headerFields[.xRequestID] = id
        return (head, ByteBuffer(bytes: writer.bytes))
    }
}
