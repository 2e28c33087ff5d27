import HTTPTypes
import Testing

extension Reply {
    /// Checks that it is an error in the format of the wire adaptors; LivePerson's campaigns have members beside it.
    func expectEnvelope(
        _ status: Int,
        _ code: String,
        _ reason: String? = nil,
        besides others: Set<String> = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let error = self["error"]
        #expect(self.status == status, "\(text)", sourceLocation: location)
        #expect(error?["code"]?.string == code, "\(text)", sourceLocation: location)
        // The format always has the member: null means none.
        let wanted: JSON = reason.map { .string($0) } ?? .null
        #expect(error?["reason"] == wanted, "\(text)", sourceLocation: location)
        #expect(headers[.contentType] == "application/json", sourceLocation: location)
        #expect((try? JSON(text))?.names == others.union(["error"]), sourceLocation: location)
        #expect(
            error?.names == ["code", "reason", "message", "retryable", "requestId"],
            sourceLocation: location
        )
        #expect(error?["message"]?.string?.isEmpty == false, sourceLocation: location)
        #expect(error?["retryable"]?.bool != nil, sourceLocation: location)
        #expect(
            error?["requestId"]?.string == headers[HTTPField.Name("X-Request-Id") ?? .age],
            sourceLocation: location
        )
        if status == 401 { #expect(headers[.wwwAuthenticate] != nil, sourceLocation: location) }
        if status == 429 || status == 503 { #expect(headers[.retryAfter] != nil, sourceLocation: location) }
    }
}
