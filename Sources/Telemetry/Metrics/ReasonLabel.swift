/// Providers' reasons as metrics and statistics count by them: a closed set, so that a provider's new or free text can
/// make neither series nor words that are stored.
package enum ReasonLabel {
    /// The label of a provider's reason.
    ///
    /// - Parameter reason: The provider's own word, or nil when it gave none.
    /// - Returns: The word itself when it is documented, `other` when it is not, the empty text for nil.
    package static func label(_ reason: String?) -> String {
        guard let reason, !reason.isEmpty else { return "" }
        // Looking up a text normalises it, which takes long where it is long and not ASCII; no documented one is.
        guard reason.utf8.count <= 64, reason.utf8.allSatisfy({ $0 < 0x80 }), known.contains(reason) else {
            return other
        }
        return reason
    }

    /// The label of every reason that is not documented.
    package static let other = "other"

    /// The documented reasons; data that was counted by another set is counted again at the next start: APNs "Handling error responses", FCM `FcmError.errorCode` and rpc status, Huawei codes.
    package static let known: Set<String> = [
        // APNs.
        "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
        "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
        "MissingTopic", "PayloadEmpty", "TopicDisallowed", "BadCertificate", "BadCertificateEnvironment",
        "ExpiredProviderToken", "Forbidden", "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken",
        "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "BadPath", "MethodNotAllowed", "ExpiredToken",
        "Unregistered", "PayloadTooLarge", "TooManyProviderTokenUpdates", "TooManyRequests", "InternalServerError",
        "ServiceUnavailable", "Shutdown",
        // FCM.
        "INVALID_ARGUMENT", "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", "SENDER_ID_MISMATCH", "PERMISSION_DENIED",
        "UNREGISTERED", "NOT_FOUND", "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNAVAILABLE",
        "UNSPECIFIED_ERROR",
        // Huawei.
        "80100000", "80100001", "80100003", "80100004", "80100013", "80100016", "80100017", "80100018", "80200001",
        "80200003", "80200005", "80300002", "80300007", "80300008", "80300010", "80300011", "80300013", "80600003",
        "81000001",
        // Our own words where no provider answered.
        "timeout", "connection_lost", "token_source", "unreachable",
    ]
}
