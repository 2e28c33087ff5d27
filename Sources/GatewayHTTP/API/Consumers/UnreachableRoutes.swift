internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Consumers with unread messages whom no push reaches (Deliveries page).
enum UnreachableRoutes {
    /// The values of `unreadOlderThanHours`, up to a year; and the default.
    private static let (hours, defaultHours): (ClosedRange<Int64>, Int64) = (0...8760, 24)

    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/unreachable") { call in
            let brand = try await call.requireBackend(.consumersRead)
            let page = try call.page()
            var after: ConsumerKey?
            if let place = page.after {
                guard let number = Int64(place), number > 0 else { throw PageRequest.badCursor }
                after = ConsumerKey(number)
            }
            let before = try before(call)
            let found = try await call.read { [after] store throws(StorageError) in
                try await store.unreachable(brand: brand.id, before: before, after: after, limit: page.limit)
            }
            let next = found.next.map { page.cursor(after: String($0.rawValue)) }
            return ResponseFactory.page(found.items, next: next) { writer, consumer in
                writer.literal("{")
                consumer.write(to: &writer)
                writer.literal("}")
            }
        }
        routes.on(.get, "/v1/brands/:brand/unreachable/export") { call in
            let brand = try await call.requireBackend(.consumersRead)
            let before = try before(call)
            return try await call.export("unreachable", of: brand) { store, after throws(StorageError) in
                let page = try await store.unreachable(
                    brand: brand.id,
                    before: before,
                    after: after,
                    limit: ExportFormat.pageSize
                )
                return (page.items, page.next)
            }
        }
    }

    /// Returns the time before which the oldest unread message was accepted; throws 422.
    private static func before(_ call: Call) throws(Problem) -> Timestamp {
        let age = try call.query().integer("unreadOlderThanHours", in: hours) ?? defaultHours
        return call.services.clock.now.adding(seconds: -age * 3600)
    }
}

extension UnreachableConsumer: ExportedRow {
    static let columns = ["consumer", "unread", "unreadSince"]

    func write(to writer: inout JSONWriter) {
        writer.member("consumer", id.rawValue)
        writer.member("unread", unread)
        writer.member("unreadSince", unreadSince)
    }

    func write(to writer: inout CSVWriter) {
        writer.text(id.rawValue)
        writer.integer(unread)
        writer.text(unreadSince.rfc3339)
    }
}
