internal import GatewayModel
internal import GatewayStorage

/// Rows that end without a provider's response.
extension TurnRows {
    /// Moves a row to the delivery log; does nothing when it is there already.
    mutating func withdraw(
        _ id: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        _ context: inout TurnContext
    ) throws(Failure) {
        guard let row = try moveToLog(id, state: state, by: suppressedBy, at: context.turn.now) else { return }
        context.noteWithdrawn(id, of: row.registration)
        if row.isWaiting { try removeWaiting(of: row.registration, row.queue, &context) }
        if state == .failed || state == .expired { try publishFailed(id, at: context.turn.now) }
    }

    /// Ends the rows of a conversation's messages up to a sequence: those that wait for a window as shown there, the
    /// others as cancelled.
    mutating func cancelRead(
        _ conversation: KnownConversation,
        upTo sequence: Int64,
        _ context: inout TurnContext
    ) throws(Failure) {
        for row in try rows(of: conversation.consumer, conversation: conversation.key, upTo: sequence) {
            try withdraw(
                row.id,
                state: row.isHeld ? .suppressed : .cancelled,
                by: row.isHeld ? .windowOpen : .read,
                &context
            )
            if row.isHeld { context.held.suppressed += 1 }
        }
    }

    /// Ends the older rows of a registration that a new one, which is in the outbox already, replaces; whether a lane
    /// has them or not.
    mutating func collapse(before new: TurnContext.NewRow, _ context: inout TurnContext) throws(Failure) {
        for id in try rowsReplaced(by: new) { try withdraw(id, state: .cancelled, by: .collapsed, &context) }
    }
}
