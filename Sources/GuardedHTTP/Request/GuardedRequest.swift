/// One request to an address that others chose.
package struct GuardedRequest: Sendable {
    /// What is sent.
    package enum Method: Sendable, Equatable {
        /// Nothing but the head.
        case get
        /// A body.
        case post([UInt8])
    }

    /// What becomes of the answer's body.
    package enum AnswerBody: Sendable, Equatable {
        /// It is given back whole; an answer with a longer one, or that does not end in time, is a failure.
        case read(maxBytes: Int)
        /// It is read so that the connection can be used again, and thrown away: the head alone is the answer, and what
        /// cannot be read of the rest only costs the connection.
        case drained(maxBytes: Int)
    }

    /// Where it goes, checked as far as its text says.
    package var url: GuardedURL
    /// What is sent.
    package var method: Method
    /// The header, beside what HTTP itself needs.
    package var headers: [(name: String, value: String)]
    /// What becomes of the answer's body.
    package var answerBody: AnswerBody
    /// For all of it: look-up, connection, request and answer.
    package var timeout: Duration
    /// The brand that chose the address, which has its share of the look-ups; empty for the gateway itself.
    package var owner: String
    /// How often it was tried before in vain: chooses with which of several addresses to begin.
    package var attempt: Int

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - url: Where it goes.
    ///   - method: What is sent.
    ///   - headers: The header, beside what HTTP itself needs.
    ///   - answerBody: What becomes of the answer's body.
    ///   - timeout: For all of it.
    ///   - owner: The brand that chose the address; empty for the gateway itself.
    ///   - attempt: How often it was tried before in vain.
    package init(
        url: GuardedURL,
        method: Method,
        headers: [(name: String, value: String)],
        answerBody: AnswerBody,
        timeout: Duration,
        owner: String = "",
        attempt: Int = 0
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.answerBody = answerBody
        self.timeout = timeout
        self.owner = owner
        self.attempt = attempt
    }
}
