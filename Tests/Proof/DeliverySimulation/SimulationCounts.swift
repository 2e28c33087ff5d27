/// Counts of what happened in simulations.
package struct SimulationCounts: Sendable, Equatable, Codable {
    /// Seeds.
    package var seeds = 0
    /// Steps; after each the invariants were checked.
    package var steps = 0
    /// Events that were accepted.
    package var accepted = 0
    /// Events that were replayed.
    package var replays = 0
    /// Requests and changes that were not taken, because the store failed.
    package var rejections = 0
    /// Pushes that were handed out.
    package var pushes = 0
    /// Commits that were stored.
    package var commits = 0
    /// Commits that failed.
    package var failedCommits = 0
    /// Commits with a row that cannot be stored.
    package var poisonedCommits = 0
    /// Processes that were killed.
    package var crashes = 0
    /// Processes that ended in an orderly way.
    package var drains = 0
    /// Jumps of the wall clock.
    package var clockJumps = 0
    /// Reads that moved a mark.
    package var reads = 0
    /// Logouts.
    package var logouts = 0
    /// Logins, with an identifier and without.
    package var logins = 0
    /// Anonymous consumers that were merged into another.
    package var merges = 0
    /// Registrations, renewals and token moves.
    package var registrations = 0
    /// Deliveries that were collapsed into a newer one.
    package var collapsed = 0
    /// Messaging windows that opened.
    package var windows = 0
    /// Deliveries that waited for a window.
    package var held = 0
    /// Deliveries of which the window closed, or belonged to another consumer after a merge.
    package var released = 0
    /// Deliveries that were acknowledged in a window.
    package var suppressed = 0
    /// Pushes that left without a sound.
    package var quieted = 0
    /// Pushes that stood for several messages.
    package var summaries = 0
    /// Deliveries that expired.
    package var expired = 0
    /// Pushes that arrived again, each with an explanation.
    package var duplicates = 0
    /// Messages that were tapped.
    package var taps = 0
    /// Receipts of devices.
    package var receipts = 0
    /// Deliveries that an operator retried.
    package var retries = 0
    /// Deliveries that the housekeeper ended.
    package var tidied = 0
    /// Consumers that were erased.
    package var erasures = 0
    /// Registrations that ended because their devices were not seen.
    package var stale = 0
    /// Apps that were deleted.
    package var deletedApps = 0
    /// Brands that were deleted.
    package var deletedBrands = 0
    /// Apps that were created again.
    package var newApps = 0
    /// Batches of housekeeping after an erasure or a deletion.
    package var batches = 0
    /// Registrations that such a batch has ended.
    package var endedBeside = 0
    /// Pushes on lanes of apps that were created again.
    package var newPushes = 0
    /// Changes of brands' presence settings.
    package var presenceChanges = 0
    /// Periods in which the clock could be wrong.
    package var doubts = 0

    /// Creates counts of zero.
    package init() {}

    /// Adds the counts of another simulation.
    package mutating func add(_ other: SimulationCounts) {
        seeds += other.seeds
        steps += other.steps
        accepted += other.accepted
        replays += other.replays
        rejections += other.rejections
        pushes += other.pushes
        commits += other.commits
        failedCommits += other.failedCommits
        poisonedCommits += other.poisonedCommits
        crashes += other.crashes
        drains += other.drains
        clockJumps += other.clockJumps
        reads += other.reads
        logouts += other.logouts
        logins += other.logins
        merges += other.merges
        registrations += other.registrations
        collapsed += other.collapsed
        windows += other.windows
        held += other.held
        released += other.released
        suppressed += other.suppressed
        quieted += other.quieted
        summaries += other.summaries
        expired += other.expired
        duplicates += other.duplicates
        taps += other.taps
        receipts += other.receipts
        retries += other.retries
        tidied += other.tidied
        erasures += other.erasures
        stale += other.stale
        deletedApps += other.deletedApps
        deletedBrands += other.deletedBrands
        newApps += other.newApps
        batches += other.batches
        endedBeside += other.endedBeside
        newPushes += other.newPushes
        presenceChanges += other.presenceChanges
        doubts += other.doubts
    }
}
