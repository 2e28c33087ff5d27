internal import HTTPTypes
internal import Hummingbird
internal import PushPayloads

extension Problem {
    /// The whole answer.
    func response(requestID: String) -> Response {
        var writer = JSONWriter(capacity: 384)
        write(to: &writer, requestID: requestID)
        var response = Answer.json(
            HTTPResponse.Status(code: status, reasonPhrase: title),
            writer,
            contentType: "application/problem+json"
        )
        if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
        rate?.write(to: &response.headers)
        if !allow.isEmpty { response.headers[.allow] = allow.joined(separator: ", ") }
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
}
