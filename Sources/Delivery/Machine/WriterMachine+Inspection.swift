import GatewayModel
package import GatewayStorage

/// Read access for tests and the simulation.
extension WriterMachine {
    /// The number of outcomes of the current turn that are not known to be stored.
    package var outcomesInTurn: Int {
        guard let openTurn else { return 0 }
        return openTurn.split?.outcomesLeft.count ?? openTurn.turn.outcomes.count
    }

    /// The consumers that the current turn releases, as far as that is not known to be stored.
    package var releasesInTurn: [ConsumerName] {
        guard let openTurn else { return [] }
        return openTurn.split?.releasesLeft ?? openTurn.turn.releases
    }
}
