package import GatewayModel
package import GatewayStorage

extension TenantStore where Self: SQLStore {
    package func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            let db = transaction.db
            guard let brand = try transaction.brandKey(app.brand) else {
                throw StorageError.constraint(detail: "no such brand")
            }
            let found = try db.prepare("SELECT 1 FROM apps WHERE brand = ? AND id = ?").int(brand).text(app.id.rawValue)
                .first { _ in true }
            try db.prepare(
                """
                INSERT INTO apps (brand, id, settings, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT (brand, id) \
                DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at
                """
            )
            .int(brand).text(app.id.rawValue).blob(app.sealedSettings).time(app.updatedAt).run()
            for lane in lanes {
                try db.prepare(
                    """
                    INSERT INTO lanes (brand, app, push_type, environment) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
                    """
                )
                .int(brand).text(lane.app.rawValue).text(lane.pushType.rawValue).text(lane.environment.rawValue).run()
            }
            try transaction.write(audit)
            return found == nil
        }
    }

    package func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]? {
        try await inTransaction { transaction in
            let db = transaction.db
            guard let key = try transaction.brandKey(brand),
                try db.prepare("DELETE FROM apps WHERE brand = ? AND id = ?").int(key).text(app.rawValue)
                    .runCounting() == 1
            else { return nil }
            // Its registrations may be many: housekeeping ends them, and no lookup finds them meanwhile, because their
            // lanes are removed. A lane's number is never reused.
            try db.prepare("INSERT INTO deleted_lanes (lane) SELECT id FROM lanes WHERE brand = ? AND app = ?")
                .int(key).text(app.rawValue).run()
            let lanes = try db.prepare("DELETE FROM lanes WHERE brand = ? AND app = ? RETURNING id")
                .int(key).text(app.rawValue).all { LaneID(try $0.value(0)) }
            transaction.forgetAll()
            try transaction.write(audit)
            return lanes
        }
    }

    package func apps() async throws(StorageError) -> [StoredApp] {
        try await inSnapshot { db in
            try db.prepare(
                """
                SELECT b.id, a.id, a.settings, a.updated_at FROM apps a JOIN brands b ON b.key = a.brand \
                ORDER BY b.id, a.id
                """
            ).all { row in
                StoredApp(
                    brand: BrandID(trusted: try row.value(0)),
                    id: AppID(trusted: try row.value(1)),
                    sealedSettings: try row.value(2),
                    updatedAt: try row.value(3)
                )
            }
        }
    }

    package func pauseLane(
        _ lane: LaneID,
        since: Timestamp?,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            let db = transaction.db
            let count =
                if let since {
                    try db.prepare(
                        """
                        INSERT INTO paused_lanes (lane, since) SELECT id, CAST(?2 AS BIGINT) FROM lanes WHERE id = ?1 \
                        ON CONFLICT DO NOTHING
                        """
                    ).int(lane.rawValue).time(since).runCounting()
                } else {
                    try db.prepare("DELETE FROM paused_lanes WHERE lane = ?").int(lane.rawValue).runCounting()
                }
            guard count == 1 else { return false }
            try transaction.write(audit)
            return true
        }
    }

    package func pausedLanes() async throws(StorageError) -> [LaneID: Timestamp] {
        try await inSnapshot { db in
            let lanes: [(LaneID, Timestamp)] = try db.prepare("SELECT lane, since FROM paused_lanes").all { row in
                (LaneID(try row.value(0)), try row.value(1))
            }
            return Dictionary(lanes) { $1 }
        }
    }

    package func setPace(
        of lane: LaneID,
        perSecond: Int64?,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            let db = transaction.db
            let count =
                if let perSecond {
                    try db.prepare(
                        """
                        INSERT INTO lane_paces (lane, per_second) \
                        SELECT id, CAST(?2 AS BIGINT) FROM lanes WHERE id = ?1 \
                        ON CONFLICT (lane) DO UPDATE SET per_second = excluded.per_second \
                        WHERE lane_paces.per_second <> excluded.per_second
                        """
                    ).int(lane.rawValue).int(perSecond).runCounting()
                } else {
                    try db.prepare("DELETE FROM lane_paces WHERE lane = ?").int(lane.rawValue).runCounting()
                }
            guard count == 1 else { return false }
            try transaction.write(audit)
            return true
        }
    }

    package func lanePaces() async throws(StorageError) -> [LaneID: Int64] {
        try await inSnapshot { db in
            let lanes: [(LaneID, Int64)] = try db.prepare("SELECT lane, per_second FROM lane_paces").all { row in
                (LaneID(try row.value(0)), try row.value(1))
            }
            return Dictionary(lanes) { $1 }
        }
    }

    package func lanes() async throws(StorageError) -> [LaneID: LaneKey] {
        try await inSnapshot { db in
            let rows = try db.prepare(
                "SELECT l.id, b.id, l.app, l.push_type, l.environment FROM lanes l JOIN brands b ON b.key = l.brand"
            )
            let lanes: [(LaneID, LaneKey)] = try rows.all { row in
                guard let pushType = PushType(rawValue: try row.value(3)),
                    let environment = PushEnvironment(rawValue: try row.value(4))
                else { return nil }
                let key = LaneKey(
                    brand: BrandID(trusted: try row.value(1)),
                    app: AppID(trusted: try row.value(2)),
                    pushType: pushType,
                    environment: environment
                )
                return (LaneID(try row.value(0)), key)
            }
            return Dictionary(lanes) { $1 }
        }
    }
}
