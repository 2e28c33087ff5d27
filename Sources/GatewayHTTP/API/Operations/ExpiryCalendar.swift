package import GatewayModel
package import Identity
package import PushProviders

/// The certificates, credentials and keys of the instance with their ends.
package enum ExpiryCalendar {
    /// A certificate, credential or key.
    package struct Entry: Sendable {
        /// The kind of an entry.
        package enum Kind: String, Sendable, CaseIterable {
            /// The certificate of the API.
            case serverCertificate
            /// The APNs certificate of an app.
            case apnsCertificate
            /// The provider credentials of an app without a certificate.
            case appKeys
            /// A credential of a brand.
            case credential
        }

        /// The kind.
        package var kind: Kind
        /// The brand; nil for the instance.
        package var brand: BrandID?
        /// The id of the app or the credential; nil for the instance.
        package var name: String?
        /// The kind of a credential.
        package var credential: CredentialKind?
        /// The time since which it is in use: the creation of a credential, or the last change of an app; nil when that
        /// is not known.
        package var since: Timestamp?
        /// The end; nil when it has none.
        package var endsAt: Timestamp?
        /// The step before the end; nil when it has none.
        package var expiry: CertificateExpiry?

        init(
            _ kind: Kind,
            brand: BrandID? = nil,
            name: String? = nil,
            since: Timestamp? = nil,
            endsAt: Timestamp?,
            now: Timestamp
        ) {
            self.kind = kind
            self.brand = brand
            self.name = name
            self.since = since
            self.endsAt = endsAt
            expiry = endsAt.map { CertificateExpiry(of: $0, now: now) }
        }

        /// Whether operators should renew it now.
        ///
        /// APNs certificates 30 days before their end, because somebody must log in at Apple; others, which programs
        /// renew, 7 days before. A credential that has ended is what a rotation leaves.
        package var isDue: Bool {
            guard let expiry else { return false }
            switch kind {
            case .serverCertificate, .appKeys: return expiry >= .withinSevenDays
            case .apnsCertificate: return expiry >= .withinThirtyDays
            case .credential: return expiry >= .withinSevenDays && expiry != .expired
            }
        }

        /// The key by which entries are sorted: by end, those without one last.
        var key: String {
            let end = endsAt.map { max($0.milliseconds, 0) } ?? .max
            let digits = String(end)
            let padding = String(repeating: "0", count: max(19 - digits.utf8.count, 0))
            return "\(padding)\(digits) \(kind.rawValue) \(brand?.rawValue ?? "") \(name ?? "")"
        }
    }

    /// Returns the entries of the instance, or those of a brand, sorted by their ends.
    package static func entries(
        of directory: Directory,
        brand: BrandID? = nil,
        serverEndsAt: Timestamp?,
        now: Timestamp
    ) -> [Entry] {
        var entries: [Entry] = []
        if brand == nil, let serverEndsAt { entries.append(Entry(.serverCertificate, endsAt: serverEndsAt, now: now)) }
        for app in directory.allApps where brand == nil || app.brand == brand {
            entries.append(
                Entry(
                    app.certificate == nil ? .appKeys : .apnsCertificate,
                    brand: app.brand,
                    name: app.id.rawValue,
                    since: app.updatedAt,
                    endsAt: app.certificate?.expiresAt,
                    now: now
                )
            )
        }
        for (owner, credential) in directory.allCredentials where brand == nil || owner == brand {
            var entry = Entry(
                .credential,
                brand: owner,
                name: credential.id,
                since: credential.createdAt,
                endsAt: credential.expiresAt,
                now: now
            )
            entry.credential = credential.kind
            entries.append(entry)
        }
        return entries.map { ($0.key, $0) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            .map(\.1)
    }
}
