import Foundation

/// One device of the run: it keeps its id while its tokens change.
struct Device: Hashable, Sendable {
    /// The number of its consumer.
    var consumer: Int
    /// Whether it gets pushes through FCM, otherwise APNs.
    var isAndroid: Bool

    /// Its id.
    var id: String { "\(isAndroid ? "pixel" : "phone")-\(consumer)" }
    /// Its app.
    var app: String { isAndroid ? "android" : "ios" }
    /// Its push service.
    var pushType: String { isAndroid ? "fcm" : "apns" }

    /// Returns a token, in the format of its push service, that no other device and no other registration of this one
    /// has.
    func token(generation: Int) -> String {
        if isAndroid { return "proof\(consumer)g\(generation):APA91bH0123456789" }
        return String(repeating: "ab", count: 24) + String(format: "%08x%08x", consumer, generation)
    }

    /// Returns the devices of a consumer: every second consumer has two.
    static func all(of consumer: Int) -> [Device] {
        let phone = Device(consumer: consumer, isAndroid: false)
        return consumer.isMultiple(of: 2) ? [phone] : [phone, Device(consumer: consumer, isAndroid: true)]
    }
}
