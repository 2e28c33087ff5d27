internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

extension Problem {
    /// Returns the complete response, in the format of the route.
    func response(requestID: String, shape: ErrorShape = .problem) -> Response {
        var writer = JSONWriter(capacity: 384)
        var response: Response
        switch shape {
        case .problem:
            write(to: &writer, requestID: requestID)
            response = ResponseFactory.json(
                HTTPResponse.Status(code: status, reasonPhrase: title),
                writer,
                contentType: "application/problem+json"
            )
        case .adaptor, .campaign, .bloomreach, .bloomreachAttributes:
            switch shape {
            case .bloomreach, .bloomreachAttributes:
                writeBloomreach(to: &writer, isByMember: shape == .bloomreachAttributes)
            default: writeEnvelope(to: &writer, requestID: requestID, isCampaign: shape == .campaign)
            }
            // The systems behind the adaptors only know 400 for an invalid request (R3, R24).
            let status = status == 422 ? 400 : status
            response = ResponseFactory.json(HTTPResponse.Status(code: status), writer)
        }
        if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
        rate?.write(to: &response.headers)
        if !allow.isEmpty { response.headers[.allow] = allow.joined(separator: ", ") }
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
