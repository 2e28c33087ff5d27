/// The specification of an APNs certificate to create.
package struct APNsCertificateSpecification: Sendable {
    /// The topics that it lists.
    package var topics: [String]
    /// Whether it has the extension of the sandbox.
    package var isForSandbox = true
    /// Whether it has the extension of production.
    package var isForProduction = true
    /// The validity in seconds from now; negative for an expired certificate.
    package var validForSeconds: Int64 = 365 * 86_400

    /// Specifies a certificate as Apple issues them today: for both environments and a year.
    ///
    /// - Parameter topics: The topics that it lists.
    package init(topics: [String]) {
        self.topics = topics
    }
}
