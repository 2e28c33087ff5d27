internal import GatewayModel
internal import TextFormats

/// Quiet hours as a body names them, a brand's or a consumer's; they are given as a whole.
enum QuietHoursBody {
    /// The longest name of a time zone, in bytes.
    static let maxTimeZoneBytes = 64

    /// Reads them; notes what is wrong.
    ///
    /// - Parameters:
    ///   - member: The member.
    ///   - isBrands: A brand's must name a time zone, and cannot be off; a consumer's can.
    ///   - checks: Where to note it.
    /// - Returns: Nil when the member is absent, null or wrong.
    static func hours(_ member: BodyMember, isBrands: Bool, _ checks: inout FieldChecks) -> QuietHours? {
        guard let object = checks.object(member) else { return nil }
        checks.refuseOthers(in: object, than: ["from", "to", "timeZone", "mode"])
        let mode = checks.word(object["mode"], as: QuietHours.Mode.self) ?? .held
        if mode == .off {
            guard !isBrands else {
                checks.fail(object["mode"].pointer, "must be held or silent: without quiet hours, they are null")
                return nil
            }
            return .off
        }
        let (from, to) = (time(object["from"], &checks), time(object["to"], &checks))
        if let from, from == to { checks.fail(object["to"].pointer, "must not be the same as from") }
        let zone = checks.line(object["timeZone"], atMost: maxTimeZoneBytes, isRequired: isBrands)
        if let zone, LocalTimeZone(zone) == nil {
            checks.fail(object["timeZone"].pointer, "is not a time zone that is known here, such as Europe/Berlin")
        }
        guard let from, let to else { return nil }
        return QuietHours(from: from, to: to, timeZone: zone, mode: mode)
    }

    private static func time(_ member: BodyMember, _ checks: inout FieldChecks) -> Int? {
        guard let text = checks.text(member, isRequired: true) else { return nil }
        guard let minutes = QuietHours.minutes(text) else {
            checks.fail(member.pointer, "must be a time of the day as HH:MM")
            return nil
        }
        return minutes
    }
}
