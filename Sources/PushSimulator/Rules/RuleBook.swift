/// The rules in force with their counters.
///
/// The first rule that applies wins.
package struct RuleBook: Sendable {
    /// The rules, in order.
    package private(set) var rules: [SimulatorRule]
    /// How many requests fitted each rule so far, `everyNth` left aside.
    private var fitting: [Int]

    /// Takes rules; all counters start at 0.
    ///
    /// - Parameter rules: In order of precedence.
    package init(_ rules: [SimulatorRule] = []) {
        self.rules = rules
        self.fitting = Array(repeating: 0, count: rules.count)
    }

    /// Whether there is nothing to look up.
    package var isEmpty: Bool { self.rules.isEmpty }

    /// Looks up what is to happen to a request and counts it.
    ///
    /// - Parameters:
    ///   - provider: Whose request it is.
    ///   - token: The device token, when the request has one.
    ///   - bytes: The length of its body.
    /// - Returns: Nil when no rule applies.
    package mutating func action(for provider: SimulatedProvider, token: String?, bytes: Int = 0) -> RuleAction? {
        for index in self.rules.indices where self.rules[index].match.fits(provider, token: token, bytes: bytes) {
            self.fitting[index] += 1
            if let every = self.rules[index].match.everyNth, !self.fitting[index].isMultiple(of: every) { continue }
            return self.rules[index].action
        }
        return nil
    }
}
