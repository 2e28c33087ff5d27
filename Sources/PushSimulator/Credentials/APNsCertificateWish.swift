/// How a certificate for APNs is to be made.
package struct APNsCertificateWish: Sendable {
    /// The topics that it lists.
    package var topics: [String]
    /// Whether it bears the sandbox's mark.
    package var isForSandbox = true
    /// Whether it bears production's mark.
    package var isForProduction = true
    /// From now on; negative for one that has expired.
    package var validForSeconds: Int64 = 365 * 86_400

    /// Wishes for a certificate as Apple makes them today: for both environments and a year.
    ///
    /// - Parameter topics: The topics that it lists.
    package init(topics: [String]) {
        self.topics = topics
    }
}
