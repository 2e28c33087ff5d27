/// The settings of the delivery core; each has the default of `Config/switchboard.yaml`.
package struct DeliverySettings: Sendable, Equatable {
    /// The upper bound of events that wait for their commit, 1 to 1,000,000 (`intake.maxPendingEvents`).
    package var maxPendingEvents = 20_000
    /// The upper bound of bytes of event texts and data that wait for their commit (`intake.maxPendingBytes`).
    package var maxPendingBytes = 64 << 20
    /// The estimated deliveries from the events of one commit, or events without deliveries, so that no request
    /// occupies the writer for long (Architecture page, 1).
    package var maxEventsPerTurn = 500
    /// The outcomes of one commit, not counting the rows that a summary among the last of them stood for.
    package var maxOutcomesPerTurn = 2000
    /// The outcomes that a commit has at least when it leaves others to the next, which it does while proactive pushes
    /// are sent: an agent's message that comes meanwhile waits for two milliseconds of the writer and not for ten.
    package var leastOutcomesPerTurn = 128
    /// The number of accepted pushes that makes a commit of their own worth its cost.
    package var outcomesWorthATurn = 256
    /// The milliseconds after the last commit with outcomes for which the record of an accepted push waits for others.
    ///
    /// Push results arrive one by one, and a commit for each would keep the writer busy when the next event comes.
    /// Where events are rarer than this, each outcome is stored at once: waiting longer made pushes 0.1 ms later and
    /// saved nothing. A crash within this time sends these pushes once more, as a crash during the commit does.
    package var outcomeWaitMilliseconds: Int64 = 4
    /// The changes of devices and consumers in one commit; one that touches many rows counts as that many.
    ///
    /// Fifty rows take a millisecond or two of the writer, for which an event that comes meanwhile waits.
    package var maxChangesPerTurn = 50
    /// The rows of backlogs that one commit takes into memory, for all lanes together: a few milliseconds of the
    /// writer, so that recovery does not delay new events.
    ///
    /// One device may get as many, even in a lane that has a smaller share.
    package var maxClaimsPerTurn = 1000
    /// The rows that one lane holds in memory, in flight or waiting (`delivery.slotsPerLane`).
    package var slotsPerLane = 4096
    /// The rows that all lanes together hold in memory, about 2 KB each; beyond them each lane gets only
    /// ``leastSlotsPerLane`` (`delivery.slots`).
    package var slots = 65_536
    /// The rows that a lane may always hold in memory, so that lanes whose providers do not respond do not stop it.
    package var leastSlotsPerLane = 64
    /// The upper bound of one device's rows in memory, in flight or waiting, at least 2.
    ///
    /// So no device takes the slots of a lane's others. It is exceeded only for brands with summaries, because a
    /// summary is made of all waiting rows. Only one push of a device is in flight at a time: these rows keep the
    /// device busy while the next are claimed.
    package var rowsPerDevice = 8
    /// The delays before each further attempt after a temporary fault, in seconds, at least one number
    /// (`delivery.retryDelaysSeconds`).
    ///
    /// The last one repeats until the message expires. 5 s for a blip, 30 s and 2 min for a restart, then Apple's 15 min for 5xx.
    package var retryDelaysSeconds: [Int64] = [5, 30, 120, 900]
    /// The time that a stop may wait for push results, in seconds (`delivery.drainDeadlineSeconds`).
    package var drainDeadlineSeconds: Int64 = 20
    /// The number of a provider's faults within a second, without an accepted push between them, that pauses a lane.
    ///
    /// When a provider rejects every third push at random, ten in a row are hardly ever rejected, and a pause would
    /// cost more than the rejections.
    package var faultsBeforePause = 10
    /// The time that a lane first stops when its credential is rejected, in seconds; it doubles up to
    /// ``breakerMaxSeconds``.
    package var breakerFirstSeconds: Int64 = 30
    /// The longest time between two probes of a lane whose credential is rejected, in seconds.
    package var breakerMaxSeconds: Int64 = 900
    /// The number of tokens quarantined in a row that stops a lane: the app's environment or topic is then more likely
    /// wrong than each token, and each further push would cost another device.
    package var quarantinesBeforeStop = 20
    /// The upper bound of sightings that wait for a turn, about a megabyte; others are dropped, because the next one
    /// within the hour says the same.
    package var maxSightings = 10_000
    /// The time that the oldest message of a summary must have waited, in seconds: what a busy lane delays for a moment
    /// is no absence.
    package var summaryAfterSeconds: Int64 = 60
    /// The limits beyond which a lane no longer believes its provider that devices are gone.
    package var invalidation = InvalidationSettings()

    /// Creates the defaults.
    package init() {}
}
