/// The rounds of key derivation that opening one key file may cost, and those that it did cost.
///
/// A file names its own numbers of rounds, and whoever made the file may be hostile: every derivation is paid for here
/// before it is done. One file's, on one thread.
package final class KeyDerivations {
    /// The most rounds of one file, over all of its parts: a hundred times what Apple's and OpenSSL's tools write (three
    /// parts of 2,048), and a fifth of a second of a processor.
    package static let maxRounds = 1_000_000

    /// The least that a part counts for: setting up a derivation and its cipher costs about as much as these rounds.
    private static let minRoundsOfPart = 1000

    /// The most rounds.
    private let limit: Int

    /// The rounds that were paid for so far.
    package private(set) var rounds = 0

    /// Allows one file's rounds.
    ///
    /// - Parameter limit: The most rounds; with 0 only a file opens whose keys are not encrypted.
    package init(limit: Int = KeyDerivations.maxRounds) { self.limit = limit }

    /// Whether a file opens only if no key has to be derived.
    package var areRefused: Bool { limit == 0 }

    /// Pays for one derivation.
    ///
    /// - Parameter rounds: How many rounds it has; 0 or fewer for one that is not known here.
    /// - Throws: ``TLSIdentityFailure/tooManyDerivations`` when it must not be done.
    func pay(_ rounds: Int) throws(TLSIdentityFailure) {
        let cost = max(rounds, Self.minRoundsOfPart)
        guard rounds > 0, cost <= limit - self.rounds else { throw .tooManyDerivations }
        self.rounds += cost
    }
}
