package import GatewayModel

/// The pushes of a lane that met their brand's objective, and those that did not, by minute over the last hour.
package struct ObjectiveCounts: Sendable, Equatable {
    private static let minutes: Int64 = ObjectiveStatus.slowSeconds / 60

    private struct Minute: Sendable, Equatable {
        var number: Int64
        var sum = ObjectiveStatus.Sum()
    }

    /// A ring; empty before the first push.
    private var ring: [Minute] = []

    /// Creates counts of nothing.
    package init() {}

    /// Counts a push.
    package mutating func add(isInTime: Bool, now: Timestamp) {
        if ring.isEmpty { ring = Array(repeating: Minute(number: .min), count: Int(Self.minutes)) }
        let number = max(now.seconds, 0) / 60
        let index = Int(number % Self.minutes)
        if ring[index].number != number { ring[index] = Minute(number: number) }
        if isInTime { ring[index].sum.inTime += 1 } else { ring[index].sum.late += 1 }
    }

    /// Returns the sums of the windows that end now.
    package func status(now: Timestamp) -> ObjectiveStatus {
        let last = max(now.seconds, 0) / 60
        var status = ObjectiveStatus()
        for minute in ring where minute.number <= last && minute.number > last - Self.minutes {
            status.slow.add(minute.sum)
            if minute.number > last - ObjectiveStatus.fastSeconds / 60 { status.fast.add(minute.sum) }
        }
        return status
    }
}

/// How pushes met an objective in a fast and a slow window that end now.
package struct ObjectiveStatus: Sendable, Equatable {
    /// The fast window, in seconds: it shows whether pushes are late at this moment.
    package static let fastSeconds: Int64 = 300
    /// The slow window, in seconds: it shows whether that is more than a short disturbance.
    package static let slowSeconds: Int64 = 3600
    /// The number of late pushes in the slow window below which nothing is burning: a brand with few pushes would be
    /// burning at each late one.
    package static let minLate: Int64 = 5
    /// The burn rate of the fast window from which an objective is burning.
    package static let fastBurnRate: Int64 = 2

    /// Numbers of pushes.
    package struct Sum: Sendable, Equatable {
        /// Pushes that were accepted in time.
        package var inTime: Int64 = 0
        /// Pushes that were accepted late, were rejected, or expired.
        package var late: Int64 = 0

        /// Creates sums of nothing.
        package init(inTime: Int64 = 0, late: Int64 = 0) {
            self.inTime = inTime
            self.late = late
        }

        mutating func add(_ other: Sum) {
            inTime += other.inTime
            late += other.late
        }

        /// Returns the share of late pushes divided by the share that the objective allows; nil without a push.
        ///
        /// At 1 the objective is just met, at 2 twice as many pushes are late as may be.
        package func burnRate(_ objective: DeliveryObjective) -> Double? {
            guard inTime + late > 0 else { return nil }
            return Double(late) / Double(inTime + late) * 100 / Double(100 - objective.percent)
        }

        /// Returns whether the burn rate has reached a whole number.
        fileprivate func burns(_ objective: DeliveryObjective, rate: Int64) -> Bool {
            late > 0 && late * 100 >= rate * (100 - objective.percent) * (inTime + late)
        }
    }

    /// The last five minutes.
    package var fast = Sum()
    /// The last hour.
    package var slow = Sum()

    /// Creates the status of no pushes.
    package init(fast: Sum = Sum(), slow: Sum = Sum()) {
        self.fast = fast
        self.slow = slow
    }

    /// Adds the pushes of another lane.
    package mutating func add(_ other: ObjectiveStatus) {
        fast.add(other.fast)
        slow.add(other.slow)
    }

    /// Returns whether the objective is missed now, and more than for a moment.
    package func isBurning(_ objective: DeliveryObjective) -> Bool {
        slow.late >= Self.minLate && fast.burns(objective, rate: Self.fastBurnRate) && slow.burns(objective, rate: 1)
    }
}
