package import Delivery
package import GatewayModel
package import Identity
internal import TextFormats

/// How the pushes of a brand, or of one of its apps, meet the brand's objective.
package struct ObjectiveReport: Sendable {
    /// The condition of an objective; a label of metrics.
    package enum Condition: String, Sendable, CaseIterable {
        /// There was no push in the last hour.
        case idle
        /// The objective is met, or missed only for a moment.
        case met
        /// The objective is missed.
        case burning
    }

    /// The brand.
    package let brand: BrandID
    /// The app; nil for all apps of the brand.
    package let app: AppID?
    /// The objective.
    package let objective: DeliveryObjective
    /// The pushes.
    package let status: ObjectiveStatus

    /// The condition.
    package var condition: Condition {
        if status.isBurning(objective) { return .burning }
        return status.slow == ObjectiveStatus.Sum() ? .idle : .met
    }

    /// Returns the reports of all brands that have an objective, or of one: each brand, then its apps by id.
    package static func all(
        of directory: Directory,
        _ delivery: DeliveryService,
        brand: BrandID? = nil
    ) -> [ObjectiveReport] {
        let brands = directory.brands.filter { $0.settings.objective != nil && (brand == nil || $0.id == brand) }
        guard !brands.isEmpty else { return [] }
        let wanted = Set(brands.map(\.id))
        let lanes = directory.lanes.filter { wanted.contains($0.key.brand) }
        var apps: [BrandID: [AppID: ObjectiveStatus]] = [:]
        for (lane, status) in zip(lanes, delivery.objectiveStatus(of: lanes.map(\.id))) {
            apps[lane.key.brand, default: [:]][lane.key.app, default: ObjectiveStatus()].add(status)
        }
        return brands.flatMap { brand -> [ObjectiveReport] in
            guard let objective = brand.settings.objective else { return [] }
            let parts = (apps[brand.id] ?? [:]).sorted { $0.key < $1.key }
            var whole = ObjectiveStatus()
            for part in parts { whole.add(part.value) }
            return [ObjectiveReport(brand: brand.id, app: nil, objective: objective, status: whole)]
                + parts.map { ObjectiveReport(brand: brand.id, app: $0.key, objective: objective, status: $0.value) }
        }
    }
}

extension JSONWriter {
    /// Appends a report; `start` is the gateway's if it is within the slow window.
    mutating func objective(_ report: ObjectiveReport, countedSince start: Timestamp?) {
        literal("{")
        member("app", orNull: report.app?.rawValue)
        member("percent", report.objective.percent)
        member("withinSeconds", report.objective.withinSeconds)
        member("condition", report.condition.rawValue)
        member("incompleteBefore", orNull: start)
        window("fast", ObjectiveStatus.fastSeconds, report.status.fast, report.objective)
        window("slow", ObjectiveStatus.slowSeconds, report.status.slow, report.objective)
        literal("}")
    }

    private mutating func window(
        _ name: StaticString,
        _ seconds: Int64,
        _ sum: ObjectiveStatus.Sum,
        _ objective: DeliveryObjective
    ) {
        self.name(known: name)
        literal("{")
        member("seconds", seconds)
        member("inTime", sum.inTime)
        member("late", sum.late)
        self.name(known: "burnRate")
        if let rate = sum.burnRate(objective) {
            // Two digits after the point.
            let hundredths = Int64((rate * 100).rounded())
            integer(hundredths / 100)
            literal(hundredths % 100 < 10 ? ".0" : ".")
            integer(hundredths % 100)
        } else {
            literal("null")
        }
        literal("}")
    }
}
