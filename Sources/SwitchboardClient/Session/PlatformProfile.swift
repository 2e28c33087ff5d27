/// The rules that differ by platform.
public struct PlatformProfile: Sendable, Hashable {
    /// The platform as the gateway names it.
    public enum Platform: String, Sendable, Hashable {
        /// iOS and iPadOS.
        case ios
        /// Android.
        case android
        /// HarmonyOS.
        case harmony
    }

    /// The platform of the registration.
    public var platform: Platform
    /// Whether the unread count becomes 0 after the last repetition failed; otherwise it stays as it was.
    public var resetsUnreadOnFailure: Bool
    /// Whether a rejected credential is an error of the type `IDP` instead of an event of its own.
    public var reportsAuthenticationAsError: Bool
    /// The number of rejections after which a queued report is dropped.
    public var maxReportTries: Int
    /// Whether a missing or wrong authorization provider fails the initialisation; otherwise it is logged only.
    public var failsWithoutProvider: Bool

    /// The rules of iOS.
    public static let ios = PlatformProfile(
        platform: .ios,
        resetsUnreadOnFailure: true,
        reportsAuthenticationAsError: false,
        maxReportTries: 5,
        failsWithoutProvider: false
    )
    /// The rules of Android.
    public static let android = PlatformProfile(
        platform: .android,
        resetsUnreadOnFailure: false,
        reportsAuthenticationAsError: true,
        maxReportTries: 10,
        failsWithoutProvider: true
    )
    /// The rules of HarmonyOS: those of Android.
    public static let harmony = PlatformProfile(
        platform: .harmony,
        resetsUnreadOnFailure: false,
        reportsAuthenticationAsError: true,
        maxReportTries: 10,
        failsWithoutProvider: true
    )
}
