import Synchronization

/// Checks that wait for an access token.
///
/// Any thread.
final class TokenChecks: Sendable {
    private let waiting = Mutex<[@Sendable (PushProviderVerdict) -> Void]>([])

    static func verdict(_ failure: TokenFetchFailure?) -> PushProviderVerdict {
        if let failure { return PushProviderVerdict(isUsable: false, text: "\(failure)") }
        return PushProviderVerdict(isUsable: true, text: "the service account received an access token")
    }

    func add(_ completion: @escaping @Sendable (PushProviderVerdict) -> Void) {
        waiting.withLock { $0.append(completion) }
    }

    /// Completes the checks after a fetch.
    func finish(_ failure: TokenFetchFailure?) {
        end(Self.verdict(failure))
    }

    /// Completes the checks at shutdown.
    func abandon() {
        end(PushProviderVerdict(isUsable: false, text: "shut down"))
    }

    private func end(_ verdict: PushProviderVerdict) {
        let completions = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for completion in completions { completion(verdict) }
    }
}
