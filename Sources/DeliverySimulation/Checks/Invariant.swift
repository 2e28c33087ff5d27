/// What must hold after every step of a simulation.
package enum Invariant: String, Sendable, CaseIterable {
    /// Every delivery of an event that was accepted is in the outbox or in the log, and nowhere twice, until its consumer is
    /// erased or its brand deleted.
    case acceptedIsKept
    /// A delivery is `accepted` in the log only if the provider took its push.
    case acceptedWasTaken
    /// With good providers and time, everything is finished within a bounded number of steps, and nothing is remembered.
    case everythingEnds
    /// Never two pushes of one registration are on their way.
    case oneInFlight
    /// No push leaves while an older delivery of its registration is pending in the same queue; only a summary leaves in the
    /// place of the oldest that it stands for.
    case deviceOrder
    /// No badge leaves while an agent's message may, and nothing proactive while either may: on a lane, as far as it is in memory.
    case classOrder
    /// Proactive pushes leave a part of their lane's slots to others.
    case classShare
    /// While a device's push waits in memory no other device of the lane leaves twice in its class, and no claim passes over a
    /// device whose rows were due before.
    case devicesTakeTurns
    /// While a brand's events wait no other brand's are taken beyond the credit of two rounds and one request.
    case brandsTakeTurns
    /// What waits for the writer, and what it has not written down yet, never grows beyond its bounds.
    case queuesAreBounded
    /// No more pushes of a campaign leave the store than its pace lets out.
    case paceIsKept
    /// A push carries the consumer's unread count as the last answered commit left it; a silent one carries none.
    case badgeIsTrue
    /// What a device shows never falls, except after a read by its consumer.
    case badgeNeverFalls
    /// The stored unread count is the number of the consumer's unread agent messages.
    case unreadIsExact
    /// Nothing waits or leaves for a registration that ended, or that does not want it any more.
    case nothingAfterEnd
    /// Of a consumer that was erased nothing waits, is registered or can be found, and nothing leaves once that was answered.
    case erasedIsGone
    /// Nothing is registered over a lane whose app or brand was deleted, and nothing leaves over one that was removed.
    case removedIsOver
    /// A push leaves for the token that was registered last.
    case tokenIsCurrent
    /// Nothing waits or leaves of what was read.
    case nothingRead
    /// Nothing waits or leaves whose place a newer one took.
    case nothingCollapsed
    /// Nothing leaves whose time is over by the clock that the machine was given.
    case nothingExpired
    /// What is too late in memory ends when a turn begins, no try is planned that would be, and nothing ends that has time left.
    case timeIsKept
    /// A provider gets no more pushes than it has room for, and no fewer while nothing holds its lane back.
    case roomIsUsed
    /// Operators are told once when a credential, a platform's or a run of tokens is refused, and when it works again.
    case operatorsAreTold
    /// Events and changes are taken unless the process stops, the store fails or too much waits; events need room on the disk.
    case takesWhatItCan
    /// Nothing is asked of a store within a second after it failed, nor ever after a read found damage.
    case storeIsSpared
    /// Nothing ends by its time while the clock may be wrong.
    case doubtIsKept
    /// A device gets a push again only after a crash, an unknown answer or an outcome that could not be stored, and then
    /// once for each.
    case duplicatesExplained
    /// A lane never has more rows in memory than slots.
    case memoryBound
    /// A device never has more than its share of rows in memory, where its brand never wants summaries.
    case deviceShare
    /// The machine's counters agree with an independent count of what it was handed.
    case countersAgree
    /// What the machine holds is owned by this incarnation in the store, and what nobody owns it does not hold.
    case ownershipAgrees
    /// A row that is owned is in memory, in a turn, or among the outcomes: none is forgotten.
    case nothingForgotten
    /// A read that lowered the unread count makes a badge for each other device that shows it.
    case badgesAreMade
    /// The sequence of a conversation is dense from 1.
    case sequenceDense
    /// A replay stores and counts nothing and is answered as the first was.
    case replayCountsNothing
    /// A delivery waits for a window only while one of this process holds it or its release is due, and is an agent's.
    case heldForAWindow
    /// What is held for a window was told to it: when it opened, or as news since.
    case heldIsTold
    /// A delivery that was not made because of a window was read.
    case suppressedWasRead
    /// Nothing that shows something leaves in quiet hours that hold pushes back, and only quietly in those that do not.
    case quietIsKept
    /// A delivery ends for a summary if its provider took it, and then with it.
    case summaryStands
    /// The newest of too many messages that wait in memory leaves for all of them, and tells how many they are.
    case stormIsSummed
    /// Nothing leaves before the time that its provider asked for, for it or for the whole lane, nor before the first delay of
    /// a try that failed, nor while a refused credential or a pause stops the lane; after a pause one push at a time does.
    case waitsAreKept
    /// The record of a push has the effect that its answer calls for: the final state or the time of the next try, the token's
    /// removal or quarantine, and the time until which the device's other rows wait.
    case answersAreFollowed
    /// A registration that its provider calls gone ends after its wait only, and not while its lane's provider calls too many
    /// gone. An erasure, the end of stale devices and a deletion end no others than those that they are about.
    case registrationsAreKept
    /// Nothing leaves by settings that were replaced.
    case settingsAreCurrent
    /// What waits for the end of quiet hours waits for that of those that hold now, and a start leaves it alone.
    case quietEnds
    /// In no time more pushes leave than a provider takes of what it counts together.
    case quotaIsKept
    /// A turn has as many outcomes as it may, new rows get each slot that is free, what is due in the store is claimed as far as there
    /// is room, no queue is served twice while another of its class is due, and turns look at lanes only that have something.
    case turnsAreFull
    /// The record of a push that was taken waits a little after others were written down, and no other waits.
    case recordsAreTimely
    /// Whoever asked something that was taken is answered once, as long as the process lives.
    case everybodyIsAnswered
    /// While work waits that only time can bring, the machine says when; what may leave now is not left lying.
    case workIsPlanned
    /// Each plain value of the machine says what an independent model of it says.
    case partsAgree
}
