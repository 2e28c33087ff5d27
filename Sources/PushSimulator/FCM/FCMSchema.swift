/// The request body of FCM's `messages:send` as data.
///
/// Source: the discovery document of FCM v1 (revision 20230929), with the fields that newer pages name.
enum FCMSchema {
    static let request = FCMMessageType(["message": .message(Self.message), "validate_only": .bool])

    static let message = FCMMessageType([
        "name": .string,
        "token": .string,
        "topic": .string,
        "condition": .string,
        "data": .stringMap,
        "notification": .message(FCMMessageType(["title": .string, "body": .string, "image": .string])),
        "android": .message(Self.android),
        "apns": .message(Self.apns),
        "webpush": .message(Self.webpush),
        "fcm_options": .message(Self.analyticsOptions),
    ])

    private static let analyticsOptions = FCMMessageType(["analytics_label": .string])

    private static let android = FCMMessageType([
        "collapse_key": .string,
        "priority": .enumeration(["NORMAL", "HIGH"], takesLowerCase: true),
        "ttl": .duration,
        "restricted_package_name": .string,
        "direct_boot_ok": .bool,
        "bandwidth_constrained_ok": .bool,
        "restricted_satellite_ok": .bool,
        "data": .stringMap,
        "fcm_options": .message(Self.analyticsOptions),
        "notification": .message(Self.androidNotification),
    ])

    private static let androidNotification = FCMMessageType([
        "title": .string,
        "body": .string,
        "icon": .string,
        "color": .color,
        "sound": .string,
        "tag": .string,
        "click_action": .string,
        "body_loc_key": .string,
        "body_loc_args": .list(.string),
        "title_loc_key": .string,
        "title_loc_args": .list(.string),
        "channel_id": .string,
        "ticker": .string,
        "sticky": .bool,
        "event_time": .timestamp,
        "local_only": .bool,
        "notification_priority": .enumeration(
            [
                "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
                "PRIORITY_MAX",
            ],
            takesLowerCase: false
        ),
        "default_sound": .bool,
        "default_vibrate_timings": .bool,
        "default_light_settings": .bool,
        "vibrate_timings": .list(.duration),
        "visibility": .enumeration(
            ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"],
            takesLowerCase: false
        ),
        "notification_count": .int32,
        "light_settings": .message(
            FCMMessageType([
                "color": .message(
                    FCMMessageType(["red": .fraction, "green": .fraction, "blue": .fraction, "alpha": .fraction])
                ),
                "light_on_duration": .duration,
                "light_off_duration": .duration,
            ])
        ),
        "image": .string,
        "proxy": .enumeration(
            ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"],
            takesLowerCase: false
        ),
    ])

    private static let apns = FCMMessageType([
        "headers": .stringMap,
        "payload": .anyObject,
        "fcm_options": .message(FCMMessageType(["analytics_label": .string, "image": .string])),
        "live_activity_token": .string,
    ])

    private static let webpush = FCMMessageType([
        "headers": .stringMap,
        "data": .stringMap,
        "notification": .anyObject,
        "fcm_options": .message(FCMMessageType(["link": .string, "analytics_label": .string])),
    ])
}
