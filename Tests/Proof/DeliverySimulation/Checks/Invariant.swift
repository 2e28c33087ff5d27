/// An invariant that must hold after every step of a simulation.
package enum Invariant: String, Sendable, CaseIterable {
    /// Every delivery of an accepted event is in the outbox or in the delivery log, and nowhere twice, until its
    /// consumer is erased or its brand deleted.
    case acceptedIsKept
    /// A delivery is `accepted` in the delivery log only if the provider accepted its push.
    case acceptedWasTaken
    /// With good providers and enough time, everything is finished within a bounded number of steps, and memory is
    /// empty.
    case everythingEnds
    /// Two pushes of one registration are never in flight.
    case oneInFlight
    /// No push leaves while an older delivery of its registration is pending in the same queue; only a summary leaves in the
    /// place of the oldest that it stands for.
    case deviceOrder
    /// No badge leaves while an agent's message may, and no proactive push while either may: on a lane, among the rows
    /// in memory.
    case classOrder
    /// Proactive pushes leave a share of their lane's slots to others.
    case classShare
    /// While a device's push waits in memory no other device of the lane leaves twice in its class, and no claim passes over a
    /// device whose rows were due before.
    case devicesTakeTurns
    /// While a brand's events wait, no more of other brands' are taken than the credit of two rounds and one request.
    case brandsTakeTurns
    /// The queues of the writer, and the outcomes that are not committed yet, never grow beyond their limits.
    case queuesAreBounded
    /// No more pushes of a campaign leave the store than its pace allows.
    case paceIsKept
    /// A push carries the consumer's unread count as of the last completed commit; a silent one, and one to a device that
    /// does not receive agents' messages, carries none.
    case badgeIsTrue
    /// The badge that a device shows never falls, except after a read by its consumer.
    case badgeNeverFalls
    /// The stored unread count is the number of the consumer's unread agent messages.
    case unreadIsExact
    /// Nothing waits or leaves for a registration that ended, or that has opted out.
    case nothingAfterEnd
    /// Nothing of an erased consumer waits, is registered or can be found, and nothing leaves once the erasure is
    /// complete.
    case erasedIsGone
    /// Nothing is registered on a lane whose app or brand was deleted, and nothing leaves on one that was removed.
    case removedIsOver
    /// A push leaves to the token that was registered last.
    case tokenIsCurrent
    /// No message that was read waits or leaves.
    case nothingRead
    /// Nothing waits or leaves that was collapsed into a newer one.
    case nothingCollapsed
    /// Nothing leaves that has expired by the state machine's clock.
    case nothingExpired
    /// Expired rows in memory end when a turn begins, no attempt is planned after the expiry, and nothing expires
    /// early.
    case timeIsKept
    /// A provider gets no more pushes than its capacity, and no fewer while nothing stops its lane.
    case roomIsUsed
    /// Operators are alerted once when a credential, a platform or a run of tokens is rejected, and once when it works
    /// again.
    case operatorsAreTold
    /// Events and changes are taken unless the process stops, the store fails or too much waits; events need disk
    /// space.
    case takesWhatItCan
    /// The store is not called within a second after it failed, nor ever after a read found damage.
    case storeIsSpared
    /// Nothing expires while the clock may be wrong.
    case doubtIsKept
    /// A device gets a push again only after a crash, an unknown result or an outcome that could not be stored, and
    /// then once for each.
    case duplicatesExplained
    /// A lane never has more rows in memory than slots.
    case memoryBound
    /// A device never has more than its share of rows in memory, where its brand never wants summaries.
    case deviceShare
    /// The state machine's counters agree with an independent count of the rows that it received.
    case countersAgree
    /// The rows in memory are owned by this incarnation in the store, and rows without an owner are not in memory.
    case ownershipAgrees
    /// A row with an owner is in memory, in a turn, or among the outcomes: none is forgotten.
    case nothingForgotten
    /// A read that lowered the unread count makes a badge for each other device that shows it.
    case badgesAreMade
    /// The sequence of a conversation is dense from 1.
    case sequenceDense
    /// A replay stores and counts nothing and has the same result as the first event.
    case replayCountsNothing
    /// A delivery waits for a window only if it is an agent's, and while a window of this process holds it or its
    /// release is due.
    case heldForAWindow
    /// A message that is held for a window was sent to it: when it opened, or as an event since.
    case heldIsTold
    /// A delivery that was suppressed because of a window was read.
    case suppressedWasRead
    /// No push with visible content leaves in quiet hours that hold pushes, and only without sound in those that
    /// silence them.
    case quietIsKept
    /// A delivery ends as part of a summary only if its provider accepted the summary, and then together with it.
    case summaryStands
    /// The newest of too many messages in memory leaves for all of them, and carries their number.
    case stormIsSummed
    /// Nothing leaves before the time that its provider asked for, for the push or for the whole lane, nor before the
    /// first delay after a failed attempt, nor while a rejected credential or a pause stops the lane; after a pause
    /// there is one probe at a time.
    case waitsAreKept
    /// The record of a push has the effect that its result calls for: the final state or the time of the next attempt,
    /// the token's removal or quarantine, and the time until which the device's other rows wait.
    case answersAreFollowed
    /// A registration that its provider reports as gone ends only after its wait, and not while the provider reports
    /// too many as gone.
    ///
    /// An erasure, the end of stale devices and a deletion end no other registrations than their own.
    case registrationsAreKept
    /// Nothing leaves by settings that were replaced.
    case settingsAreCurrent
    /// Rows that wait for the end of quiet hours wait for that of the current ones, and a start does not change it.
    case quietEnds
    /// In no period do more pushes leave than a provider's quota or a lane's pace allows.
    case quotaIsKept
    /// A turn has as many outcomes as it may, new rows get each free slot, due rows in the store are claimed as far as
    /// there is room and a campaign's pace allows, no queue is served twice while another of its class is due, and
    /// turns look only at busy lanes.
    case turnsAreFull
    /// The record of an accepted push waits briefly after others were committed, and no other record waits.
    case recordsAreTimely
    /// Each caller whose request was taken is resumed once, as long as the process lives.
    case everybodyIsAnswered
    /// While work waits for a time, the state machine reports that time; what may leave now does leave.
    case workIsPlanned
    /// Each value type of the state machine behaves as an independent model of it.
    case partsAgree
}
