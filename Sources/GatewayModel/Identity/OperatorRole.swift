internal import TextFormats

/// A role of an operator (OperatorAccounts page), which includes those before it; the raw value is the JSON value.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    /// Reads deliveries and statistics.
    case viewer
    /// Also reads consumers, without what was written and without how to reach them.
    case support
    /// Also retries deliveries and pauses lanes.
    case `operator`
    /// Everything.
    case admin

    /// The permissions of the role, as those of service accounts.
    package var scopes: Set<Scope> {
        switch self {
        case .viewer: [.deliveriesRead]
        case .support: [.deliveriesRead, .consumersRead]
        case .operator: [.deliveriesRead, .consumersRead, .deliveriesManage]
        case .admin: [.brandAdmin]
        }
    }

    /// Whether the role sees what was written, and how to reach consumers.
    package var seesTexts: Bool { self == .admin }

    /// Orders by what roles allow.
    package static func < (lhs: OperatorRole, rhs: OperatorRole) -> Bool {
        (allCases.firstIndex(of: lhs) ?? 0) < (allCases.firstIndex(of: rhs) ?? 0)
    }
}

/// A role within a brand, or within the whole instance.
package struct OperatorGrant: Sendable, Hashable {
    /// The role.
    package var role: OperatorRole
    /// The brand; nil for the instance with all its brands.
    package var brand: BrandID?

    /// Creates a grant.
    package init(_ role: OperatorRole, in brand: BrandID?) {
        self.role = role
        self.brand = brand
    }

    /// Reads a role in the instance, `viewer`, or in a brand, `support@acme`; nil for another text.
    package init?(text: String) {
        let parts = text.byteSplit("@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let role = parts.first.flatMap({ OperatorRole(word: $0) }) else { return nil }
        let brand = parts.dropFirst().first.map { BrandID($0) }
        guard brand != .some(nil) else { return nil }
        self.init(role, in: brand ?? nil)
    }
}

extension [OperatorGrant] {
    /// The grants as they are stored: the highest role of each place, that of the instance first, then by brand.
    package var inOrder: [OperatorGrant] {
        let highest = reduce(into: [BrandID?: OperatorRole]()) { roles, grant in
            roles[grant.brand] = Swift.max(grant.role, roles[grant.brand] ?? grant.role)
        }
        return highest.map { OperatorGrant($1, in: $0) }.sorted { first, second in
            guard let other = second.brand else { return false }
            return first.brand.map { $0 < other } ?? true
        }
    }

    /// Returns the highest role for a brand, by a grant for it or for the instance; nil when there is none.
    ///
    /// Without a brand, only grants for the instance count.
    package func role(in brand: BrandID?) -> OperatorRole? {
        filter { $0.brand == nil || $0.brand == brand }.map(\.role).max()
    }
}
