/// The response to one pulled request, or its failure.
///
/// Any thread.
package struct HTTP2Response: Sendable {
    /// The result of a request.
    package enum Result: Sendable {
        /// A complete response. Headers and body are truncated at the configured limits without an error.
        case response(status: Int, headers: HTTP2ResponseHeaders, body: [UInt8])

        /// No response.
        case failure(HTTP2RequestFailure)
    }

    /// The number of the request.
    package var id: UInt64

    /// The result.
    package var result: Result

    /// Pairs a request's number with its result.
    package init(id: UInt64, result: Result) {
        self.id = id
        self.result = result
    }

    /// The status, if there was a response.
    package var status: Int? {
        if case .response(let status, _, _) = result { status } else { nil }
    }

    /// The failure, if there was no response.
    package var failure: HTTP2RequestFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }
}
