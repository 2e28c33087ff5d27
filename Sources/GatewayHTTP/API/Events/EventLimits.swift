internal import GatewayModel

/// The maximum lengths of an event's members, and the ranges of its numbers.
///
/// Every text is limited (SendingMessages page), so that one event cannot fill the store: longer texts do not fit any
/// provider, and a window frame holds 64 KiB.
enum EventLimits {
    /// `text`.
    static let textBytes = 16_384
    /// `data`, as it was sent.
    static let dataBytes = 32_768
    /// `title` and `agent.nickname`.
    static let titleBytes = 1024
    /// Ids, `dialog`, `campaign`, `agent.id` (APIConventions page).
    static let identifierBytes = 256
    /// `source`, a URI reference in CloudEvents.
    static let sourceBytes = 512
    /// Each member of `link`.
    static let linkBytes = 2048
    /// `collapseKey`: APNs allows no more (ProviderFacts page, A4).
    static let collapseKeyBytes = 64
    /// `category` and `sound`.
    static let nameBytes = 64
    /// FCM keeps a push for at most four weeks.
    static let ttlSeconds: ClosedRange<Int64> = 0...2_419_200
    /// One year.
    static let lookBackSeconds: ClosedRange<Int64> = 0...31_536_000
    /// How far in the past `time` may be; an older time is moved to this limit.
    static let oldestMilliseconds: Int64 = 7 * 86_400_000
    /// How far in the future `time` may be, because clocks differ; a later time is moved to this limit.
    static let newestMilliseconds: Int64 = 5 * 60_000
}
