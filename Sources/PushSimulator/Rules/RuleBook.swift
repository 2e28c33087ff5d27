/// The current rules with their counters.
///
/// The first rule that applies wins.
package struct RuleBook: Sendable {
    /// The rules, in order.
    package private(set) var rules: [SimulatorRule]
    /// The number of requests that matched each rule so far, ignoring `everyNth`.
    private var fitting: [Int]

    /// Creates a rule book; all counters start at 0.
    ///
    /// - Parameter rules: The rules in order of precedence.
    package init(_ rules: [SimulatorRule] = []) {
        self.rules = rules
        self.fitting = Array(repeating: 0, count: rules.count)
    }

    /// Whether there are no rules.
    package var isEmpty: Bool { self.rules.isEmpty }

    /// Returns the action for a request and counts the request.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - token: The device token, when the request has one.
    ///   - bytes: The length of its body.
    /// - Returns: The action; nil when no rule applies.
    package mutating func action(for provider: SimulatedProvider, token: String?, bytes: Int = 0) -> RuleAction? {
        for index in self.rules.indices where self.rules[index].match.fits(provider, token: token, bytes: bytes) {
            self.fitting[index] += 1
            if let every = self.rules[index].match.everyNth, !self.fitting[index].isMultiple(of: every) { continue }
            return self.rules[index].action
        }
        return nil
    }
}
