/// How the delivery core behaves; each has the default of `Config/switchboard.yaml`.
package struct DeliverySettings: Sendable, Equatable {
    /// Events that may wait for their commit, 1 to 1,000,000 (`intake.maxPendingEvents`).
    package var maxPendingEvents = 20_000
    /// Bytes of event texts and data that may wait for their commit (`intake.maxPendingBytes`).
    package var maxPendingBytes = 64 << 20
    /// Deliveries that the events of one commit make, as far as can be told before, or events that make none, so that no
    /// request holds the writer for long (Architecture page, 1).
    package var maxEventsPerTurn = 500
    /// Outcomes of one commit, without what a summary among the last of them stood for.
    package var maxOutcomesPerTurn = 2000
    /// So many pushes that were taken make a commit of their own worth its cost.
    package var outcomesWorthATurn = 256
    /// Milliseconds after the last commit with outcomes within which the record of a push that was taken waits for others.
    ///
    /// Answers come one by one, and a commit for each would keep the writer busy when the next event comes. Where events are
    /// rarer than this, each outcome is written at once: to wait longer made pushes 0.1 ms later and saved nothing. A crash
    /// within them sends these pushes once more, as a crash during the commit does.
    package var outcomeWaitMilliseconds: Int64 = 4
    /// Changes of devices and consumers of one commit; those that touch many rows count as so many.
    ///
    /// Fifty rows are a millisecond or two of the writer, for which an event that comes meanwhile waits.
    package var maxChangesPerTurn = 50
    /// Rows of backlogs that one commit takes into memory, for all lanes together: a few milliseconds of the writer, so
    /// that recovery does not hold up new events.
    ///
    /// One device may get as many, in a lane that has a smaller share.
    package var maxClaimsPerTurn = 1000
    /// Rows that one lane holds in memory, sent or waiting behind one that is (`delivery.slotsPerLane`).
    package var slotsPerLane = 4096
    /// Rows that all lanes hold in memory together, about 2 KB each, before each gets only ``leastSlotsPerLane``
    /// (`delivery.slots`).
    package var slots = 65_536
    /// Rows that a lane may hold in memory, however many others hold, so that lanes whose providers are silent do not stop it.
    package var leastSlotsPerLane = 64
    /// Rows that one device has in memory at most, sent or waiting, at least 2.
    ///
    /// So no device takes the slots of a lane's others. It has more only where a brand wants summaries, because one push is
    /// made of all that waits then. One push of a device is on its way at a time: so many keep it busy while the next are
    /// claimed.
    package var rowsPerDevice = 8
    /// Seconds before each further try after a passing fault, at least one number (`delivery.retryDelaysSeconds`).
    ///
    /// The last one repeats until the message expires. 5 s for a blip, 30 s and 2 min for a restart, then Apple's 15 min for 5xx.
    package var retryDelaysSeconds: [Int64] = [5, 30, 120, 900]
    /// How long a stop may wait for answers, in seconds (`delivery.drainDeadlineSeconds`).
    package var drainDeadlineSeconds: Int64 = 20
    /// So many faults of a provider within a second, with no push taken between them, pause a lane.
    ///
    /// Of a provider that refuses every third push by chance hardly any ten in a row are refused, and a pause would cost more
    /// than the refusals do.
    package var faultsBeforePause = 10
    /// The first time that a lane stops when its credential is refused, in seconds; doubles up to ``breakerMaxSeconds``.
    package var breakerFirstSeconds: Int64 = 30
    /// The longest time between two tries of a lane whose credential is refused, in seconds.
    package var breakerMaxSeconds: Int64 = 900
    /// This many tokens quarantined in a row are not each the device's own fault: rather the app's environment or topic is
    /// wrong, and each further push would cost another device.
    package var quarantinesBeforeStop = 20
    /// More devices' signs of life than these wait for no turn, about a megabyte: the next within the hour tells the same.
    package var maxSightings = 10_000
    /// How long the oldest of the messages must have waited, in seconds, that one push tells together: what a busy lane holds up
    /// for a moment is no absence.
    package var summaryAfterSeconds: Int64 = 60
    /// When a lane stops to believe its provider that devices are gone.
    package var invalidation = InvalidationSettings()

    /// The defaults.
    package init() {}
}
