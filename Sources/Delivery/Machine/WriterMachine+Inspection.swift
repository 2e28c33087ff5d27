import GatewayModel
package import GatewayStorage

/// What tests and the simulation look at.
extension WriterMachine {
    /// How many outcomes of the turn that is being committed are not known to be stored.
    package var outcomesInTurn: Int {
        guard let openTurn else { return 0 }
        return openTurn.split?.outcomesLeft.count ?? openTurn.turn.outcomes.count
    }

    /// The consumers that the turn that is being committed releases, as far as that is not known to be stored.
    package var releasesInTurn: [ConsumerName] {
        guard let openTurn else { return [] }
        return openTurn.split?.releasesLeft ?? openTurn.turn.releases
    }
}
