/// The budget of key derivation rounds for opening one key file.
///
/// A file names its own numbers of rounds, and its author may be hostile: every derivation is charged here before it is
/// done. For one file, on one thread.
package final class KeyDerivations {
    /// The most rounds of one file, over all of its parts: a hundred times what Apple's and OpenSSL's tools write
    /// (three parts of 2,048), and a fifth of a second of a processor.
    package static let maxRounds = 1_000_000

    /// The least number of rounds that a part is charged: setting up a derivation and its cipher costs about as much as
    /// these rounds.
    private static let minRoundsOfPart = 1000

    /// The most rounds; with 0 only a file with unencrypted keys opens.
    private let limit: Int

    /// The rounds charged so far.
    package private(set) var rounds = 0

    /// Creates the budget of one file.
    package init(limit: Int = KeyDerivations.maxRounds) { self.limit = limit }

    /// Whether only files without a key derivation may be opened.
    package var areRefused: Bool { limit == 0 }

    /// Charges one derivation.
    ///
    /// - Parameter rounds: The number of rounds; 0 or less for an unknown algorithm.
    /// - Throws: ``TLSIdentityFailure/tooManyDerivations`` when it must not be done.
    func charge(_ rounds: Int) throws(TLSIdentityFailure) {
        let cost = max(rounds, Self.minRoundsOfPart)
        guard rounds > 0, cost <= limit - self.rounds else { throw .tooManyDerivations }
        self.rounds += cost
    }
}
