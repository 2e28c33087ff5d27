internal import GatewayModel

/// How long the members of an event may be, and how far its numbers may reach.
///
/// Every text is bounded (SendingMessages page), so that one event cannot fill the store: texts longer than this do not
/// fit any provider, and a window frame holds 64 KiB.
enum EventLimits {
    /// `text`.
    static let textBytes = 16_384
    /// `data`, as it came.
    static let dataBytes = 32_768
    /// `title` and `agent.nickname`.
    static let titleBytes = 1024
    /// Ids, `dialog`, `campaign`, `agent.id` (APIConventions page).
    static let identifierBytes = 256
    /// `source`, a URI reference in CloudEvents.
    static let sourceBytes = 512
    /// Each of `link`'s members.
    static let linkBytes = 2048
    /// `collapseKey`: APNs allows no more (ProviderFacts page, A4).
    static let collapseKeyBytes = 64
    /// `category` and `sound`.
    static let nameBytes = 64
    /// FCM keeps a push for at most four weeks.
    static let ttlSeconds: ClosedRange<Int64> = 0...2_419_200
    /// A year.
    static let lookBackSeconds: ClosedRange<Int64> = 0...31_536_000
    /// How far before now `time` may lie; what is older is moved there.
    static let oldestMilliseconds: Int64 = 7 * 86_400_000
    /// How far after now `time` may lie, because clocks differ; what is later is moved there.
    static let newestMilliseconds: Int64 = 5 * 60_000
}
