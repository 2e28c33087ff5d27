import GuardedHTTP

extension GuardedFailure {
    /// Returns a sentence about a request to a service, for operators.
    func text(of service: StaticString) -> String {
        switch self {
        case .forbiddenAddress: "The \(service)'s address is not allowed."
        case .timeout: "The \(service) does not respond in time."
        case .tooLarge: "The \(service)'s response is too large."
        case .tls: "The \(service)'s certificate is not trusted."
        case .unreachable, .unresolved: "The \(service) cannot be reached."
        case .proxy: "The gateway's outbound proxy does not connect to the \(service)."
        case .proxyCredentials: "The gateway's outbound proxy does not accept its credentials."
        }
    }
}
