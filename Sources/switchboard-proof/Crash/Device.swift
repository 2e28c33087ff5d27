import Foundation

/// One device of the run: it keeps its id while its tokens come and go.
struct Device: Hashable, Sendable {
    /// The number of its consumer.
    var consumer: Int
    /// Whether it pushes through FCM, otherwise APNs.
    var isAndroid: Bool

    /// Its id.
    var id: String { "\(isAndroid ? "pixel" : "phone")-\(consumer)" }
    /// Its app.
    var app: String { isAndroid ? "android" : "ios" }
    /// Its push service.
    var pushType: String { isAndroid ? "fcm" : "apns" }

    /// A token that no other device has, and no other registration of this one.
    ///
    /// - Parameter generation: Which registration.
    /// - Returns: A token of the shape that its push service wants.
    func token(generation: Int) -> String {
        if isAndroid { return "proof\(consumer)g\(generation):APA91bH0123456789" }
        return String(repeating: "ab", count: 24) + String(format: "%08x%08x", consumer, generation)
    }

    /// The devices of a consumer: every second one has two.
    ///
    /// - Parameter consumer: Its number.
    /// - Returns: One or two.
    static func all(of consumer: Int) -> [Device] {
        let phone = Device(consumer: consumer, isAndroid: false)
        return consumer.isMultiple(of: 2) ? [phone] : [phone, Device(consumer: consumer, isAndroid: true)]
    }
}
