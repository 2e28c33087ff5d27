/// Providers' reasons as labels of metrics and statistics: a closed set, so that a provider's new or free text creates
/// neither series nor stored values.
package enum ReasonLabel {
    /// Returns the reason as the provider wrote it when it is documented, `other` when it is not, the empty string for
    /// nil.
    package static func label(_ reason: String?) -> String {
        guard let reason, !reason.isEmpty else { return "" }
        // Looking up a string normalises it, which takes long for a long one that is not ASCII. No documented reason
        // is like that.
        guard reason.utf8.count <= 64, reason.utf8.allSatisfy({ $0 < 0x80 }), known.contains(reason) else {
            return other
        }
        return reason
    }

    /// The label of every reason that is not documented.
    package static let other = "other"

    /// The documented reasons: APNs "Handling error responses", FCM `FcmError.errorCode` and rpc status, Huawei codes.
    ///
    /// Statistics that were counted with another set are counted again at the next start.
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
        // The gateway's own reasons, where no provider responded.
        "timeout", "connection_lost", "token_source", "unreachable",
    ]
}
