/// Every metric of the gateway, declared once: operators rely on names, kinds, label sets and units.
///
/// Labels come from closed sets only; no metric carries a brand, a consumer, a token or a raw path.
package enum MetricCatalogue {
    /// Upper bounds for durations in seconds: from a commit in a warm page cache to a provider that is nearly dead.
    package static let secondBounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]
    /// Upper bounds for end-to-end durations in seconds: a retry after 15 minutes must still fall into a bucket.
    package static let longSecondBounds = [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 86_400,
    ]
    /// Upper bounds for counts of rows.
    package static let countBounds = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

    /// Events by result (``EventResultLabel``).
    package static let intakeEvents = MetricDeclaration(
        "switchboard_intake_events_total",
        .counter,
        help: "Events by result.",
        labels: ["result"]
    )
    /// Events that wait for their commit.
    package static let intakePendingEvents = MetricDeclaration(
        "switchboard_intake_pending_events",
        .gauge,
        help: "Events that wait for their commit."
    )
    /// The time from accepting a request's events to the start of their commit.
    package static let intakeWait = MetricDeclaration(
        "switchboard_intake_wait_seconds",
        .histogram(bounds: secondBounds),
        help: "Time from accepting events to the start of their commit."
    )
    /// The duration of one transaction of the writer, including the sync.
    package static let storeCommit = MetricDeclaration(
        "switchboard_store_commit_seconds",
        .histogram(bounds: secondBounds),
        help: "Duration of one transaction of the writer, including the sync."
    )
    /// The number of events, outcomes and changes in one transaction of the writer.
    package static let storeCommitRows = MetricDeclaration(
        "switchboard_store_commit_rows",
        .histogram(bounds: countBounds),
        help: "Events, outcomes and changes in one transaction of the writer."
    )
    /// Transactions of the writer that failed, by the store's label for the reason.
    package static let storeErrors = MetricDeclaration(
        "switchboard_store_errors_total",
        .counter,
        help: "Transactions of the writer that failed, by reason.",
        labels: ["error"]
    )
    /// Rows that housekeeping deleted (``HousekeepingLabel``).
    package static let housekeepingRemovedRows = MetricDeclaration(
        "switchboard_housekeeping_removed_rows_total",
        .counter,
        help: "Rows that housekeeping deleted, by kind of data.",
        labels: ["kind"]
    )
    /// The time for which a batch of housekeeping occupied the writer, including the sync.
    package static let housekeepingBatch = MetricDeclaration(
        "switchboard_housekeeping_batch_seconds",
        .histogram(bounds: secondBounds),
        help: "Time for which a batch of housekeeping occupied the writer, including the sync."
    )
    /// Responses of providers, or their absence.
    package static let deliveryOutcomes = MetricDeclaration(
        "switchboard_delivery_outcomes_total",
        .counter,
        help: "Responses of providers by outcome; reason is empty where the provider gave none.",
        labels: ["provider", "outcome", "reason"]
    )
    /// The time from sending a push to the provider's response.
    package static let deliveryProviderLatency = MetricDeclaration(
        "switchboard_delivery_provider_latency_seconds",
        .histogram(bounds: secondBounds),
        help: "Time from sending a push to the provider's response.",
        labels: ["provider"]
    )
    /// The time from accepting an event until the provider accepts its push.
    package static let deliveryEndToEnd = MetricDeclaration(
        "switchboard_delivery_end_to_end_seconds",
        .histogram(bounds: longSecondBounds),
        help: "Time from accepting an event until the provider accepts its push.",
        labels: ["provider"]
    )
    /// Deliveries to consumers with an open messaging window (``HeldLabel``).
    package static let deliveryHeldRows = MetricDeclaration(
        "switchboard_delivery_held_rows_total",
        .counter,
        help:
            "Deliveries held for an open messaging window, released when it closed, suppressed when it acknowledged them.",
        labels: ["result"]
    )
    /// Deliveries that lanes hold in memory.
    package static let deliveryOwnedRows = MetricDeclaration(
        "switchboard_delivery_owned_rows",
        .gauge,
        help: "Deliveries that lanes hold in memory.",
        labels: ["provider"]
    )
    /// Pushes that were sent and have no response yet.
    package static let deliveryInFlight = MetricDeclaration(
        "switchboard_delivery_in_flight_pushes",
        .gauge,
        help: "Pushes that were sent and have no response yet.",
        labels: ["provider"]
    )
    /// Lanes that stopped because the provider rejects their credential.
    package static let deliveryOpenBreakers = MetricDeclaration(
        "switchboard_delivery_open_breaker_lanes",
        .gauge,
        help: "Lanes that stopped because the provider rejects their credential or set-up.",
        labels: ["provider"]
    )
    /// Platforms of lanes whose devices the provider cannot reach.
    package static let deliveryStoppedPlatforms = MetricDeclaration(
        "switchboard_delivery_stopped_platforms",
        .gauge,
        help: "Platforms of lanes whose devices wait: the provider's own credential for them is rejected.",
        labels: ["provider"]
    )
    /// Lanes whose provider reports too many devices as gone.
    package static let deliverySuspendedLanes = MetricDeclaration(
        "switchboard_delivery_suspended_lanes",
        .gauge,
        help: "Lanes that wait because their provider reports too many devices as gone; no registration is deleted.",
        labels: ["provider"]
    )
    /// The number of times that lanes were suspended.
    package static let deliverySuspensions = MetricDeclaration(
        "switchboard_delivery_lane_suspensions_total",
        .counter,
        help: "Times that a lane was suspended because its provider reported too many devices as gone.",
        labels: ["provider"]
    )
    /// The longest wait of a push that could leave.
    package static let deliveryOldestWaiting = MetricDeclaration(
        "switchboard_delivery_oldest_waiting_seconds",
        .gauge,
        help: "Longest wait of an agent's message or a badge push that is due and has not left; 0 when none waits.",
        labels: ["provider"]
    )
    /// APNs certificates by time to expiry.
    package static let apnsCertificates = MetricDeclaration(
        "switchboard_apns_certificates",
        .gauge,
        help: "APNs certificates in use, by time to expiry; log lines and each app's settings name them.",
        labels: ["expiry"]
    )
    /// Credentials of brands by time to expiry.
    package static let credentials = MetricDeclaration(
        "switchboard_credentials",
        .gauge,
        help: "Credentials of brands that expire, by time to expiry; those without an expiry are not counted.",
        labels: ["expiry"]
    )
    /// The expiry of the API's certificate.
    package static let serverCertificateExpiry = MetricDeclaration(
        "switchboard_server_certificate_expiry_seconds",
        .gauge,
        help: "End of the validity of the API's certificate since unix epoch in seconds; 0 without TLS."
    )
    /// The time from accepting an event to sending its push to the provider.
    package static let deliveryQueueWait = MetricDeclaration(
        "switchboard_delivery_queue_wait_seconds",
        .histogram(bounds: longSecondBounds),
        help: "Time from accepting an event to sending its push, for each attempt.",
        labels: ["provider"]
    )
    /// Pushes that were sent again after an earlier attempt.
    package static let deliveryResends = MetricDeclaration(
        "switchboard_delivery_resends_total",
        .counter,
        help: "Pushes that were sent again after an earlier attempt.",
        labels: ["provider"]
    )
    /// Connections to providers (``ConnectionLabel``).
    package static let providerConnections = MetricDeclaration(
        "switchboard_provider_connections",
        .gauge,
        help: "Connections to providers, by state.",
        labels: ["provider", "state"]
    )
    /// Connections to providers that ended.
    package static let providerConnectionsClosed = MetricDeclaration(
        "switchboard_provider_connections_closed_total",
        .counter,
        help: "Connections to providers that ended, by reason.",
        labels: ["provider", "reason"]
    )
    /// Open streams to providers.
    package static let providerOpenStreams = MetricDeclaration(
        "switchboard_provider_open_streams",
        .gauge,
        help: "Open HTTP/2 streams to providers.",
        labels: ["provider"]
    )
    /// The number of times that a connection to a provider was full (``HoldBackLabel``).
    package static let providerHeldBack = MetricDeclaration(
        "switchboard_provider_held_back_total",
        .counter,
        help: "Times that a connection to a provider could take no more pushes, by the limit that it reached.",
        labels: ["provider", "by"]
    )
    /// HTTP requests by route template.
    package static let httpRequests = MetricDeclaration(
        "switchboard_http_requests_total",
        .counter,
        help: "HTTP requests by route and status class.",
        labels: ["method", "route", "status_class"]
    )
    /// The time from a request's head to the end of its response.
    package static let httpRequestDuration = MetricDeclaration(
        "switchboard_http_request_seconds",
        .histogram(bounds: secondBounds),
        help: "Time from a request's head to the end of its response.",
        labels: ["method", "route"]
    )
    /// Open connections of callers.
    package static let httpConnections = MetricDeclaration(
        "switchboard_http_open_connections",
        .gauge,
        help: "Open connections of callers."
    )
    /// Bytes of request bodies in memory.
    package static let httpBodyBytes = MetricDeclaration(
        "switchboard_http_body_bytes",
        .gauge,
        help: "Bytes of request bodies in memory: requests that are being read or handled."
    )
    /// Connections, requests and windows that were rejected because a limit was reached (``RejectionLabel``).
    package static let httpRefused = MetricDeclaration(
        "switchboard_http_refused_total",
        .counter,
        help:
            "Connections, requests and windows that were rejected, by the limit that was reached.",
        labels: ["limit"]
    )
    /// Connections and HTTP/2 streams that were closed because the caller was too slow, or flooded its connection
    /// (``CutOffLabel``).
    package static let httpCutOff = MetricDeclaration(
        "switchboard_http_cut_off_total",
        .counter,
        help:
            "Connections and HTTP/2 streams that were closed because the caller was too slow or sent a flood of frames.",
        labels: ["reason"]
    )
    /// The faults of the host.
    package static let hostFaults = MetricDeclaration(
        "switchboard_machine_fault",
        .gauge,
        help: "1 while the host has the fault and the gateway rejects events because of it, else 0.",
        labels: ["fault"]
    )
    /// The free space on the data's file system.
    package static let storageFree = MetricDeclaration(
        "switchboard_storage_free_bytes",
        .gauge,
        help: "Free space on the file system of the data in bytes."
    )
    /// Whether expiry is suspended because the clock may be wrong.
    package static let clockGuarded = MetricDeclaration(
        "switchboard_clock_guarded",
        .gauge,
        help: "1 while expiry is suspended because the system clock was far ahead of the data at the start, else 0."
    )
    /// The difference between the gateway's time and the system clock.
    package static let clockAhead = MetricDeclaration(
        "switchboard_clock_ahead_seconds",
        .gauge,
        help: "Seconds by which the gateway's time is ahead of the system clock; negative when it is behind."
    )
    /// Sessions that were opened, by grant.
    package static let sessionsOpened = MetricDeclaration(
        "switchboard_sessions_opened_total",
        .counter,
        help: "Consumer sessions that were opened, by grant.",
        labels: ["grant"]
    )
    /// Items of outbound feeds.
    package static let outboundItems = MetricDeclaration(
        "switchboard_outbound_items_total",
        .counter,
        help: "Items that were stored in outbound feeds."
    )
    /// Readers that wait for items of the outbound feed.
    package static let outboundWaitingReaders = MetricDeclaration(
        "switchboard_outbound_waiting_readers",
        .gauge,
        help: "Requests that wait for items of an outbound feed."
    )
    /// Attempts to post to webhooks (``WebhookResultLabel``).
    package static let webhookPosts = MetricDeclaration(
        "switchboard_webhook_posts_total",
        .counter,
        help: "Attempts to post a batch to a webhook, by result.",
        labels: ["result"]
    )
    /// Webhooks by condition (``WebhookConditionLabel``).
    package static let webhooks = MetricDeclaration(
        "switchboard_webhooks",
        .gauge,
        help: "Webhooks by condition; log lines and each webhook's state name them.",
        labels: ["condition"]
    )
    /// The number of items by which the slowest webhook is behind.
    package static let webhookLag = MetricDeclaration(
        "switchboard_webhook_lag_items",
        .gauge,
        help: "Outbound items that the slowest webhook has not received yet."
    )
    /// Attempts to send consumers' messages back to helpdesks (``WebhookResultLabel``).
    package static let replyPosts = MetricDeclaration(
        "switchboard_reply_posts_total",
        .counter,
        help: "Attempts to send a consumer's message back to a helpdesk, by result.",
        labels: ["result"]
    )
    /// Hooks that send consumers' messages back, by condition (``WebhookConditionLabel``).
    package static let replies = MetricDeclaration(
        "switchboard_replies",
        .gauge,
        help: "Hooks that send consumers' messages back, by condition; log lines and each hook's state name them.",
        labels: ["condition"]
    )
    /// The number of items by which the slowest hook's replies are behind.
    package static let replyLag = MetricDeclaration(
        "switchboard_reply_lag_items",
        .gauge,
        help: "Outbound items that the replies of the slowest hook have not reached yet."
    )
    /// Objectives of brands and of their apps, by condition.
    package static let objectives = MetricDeclaration(
        "switchboard_objectives",
        .gauge,
        help: "Objectives of brands and of their apps, by condition; GET /v1/brands/{brand}/objectives names them.",
        labels: ["condition"]
    )
    /// Canaries of apps, by condition.
    package static let canaries = MetricDeclaration(
        "switchboard_canaries",
        .gauge,
        help: "Canaries of apps, by condition; GET /v1/brands/{brand}/lanes names them.",
        labels: ["condition"]
    )
    /// Spans by their end (``SpanResultLabel``).
    package static let traceSpans = MetricDeclaration(
        "switchboard_trace_spans_total",
        .counter,
        help: "Spans that the collector has accepted, that found no room, or that the collector did not accept.",
        labels: ["result"]
    )
    /// Operator events (``OperatorEventLabel``).
    package static let operatorEvents = MetricDeclaration(
        "switchboard_operator_events_total",
        .counter,
        help: "Operator events that were posted, replaced by a later one of the same subject before that, or lost.",
        labels: ["result"]
    )
    /// Attempts to post to the webhook of the instance (``WebhookResultLabel``).
    package static let operatorPosts = MetricDeclaration(
        "switchboard_operator_webhook_posts_total",
        .counter,
        help: "Attempts to post a batch to the operators' webhook, by result.",
        labels: ["result"]
    )
    /// Operator events that wait.
    package static let operatorEventsWaiting = MetricDeclaration(
        "switchboard_operator_events_waiting",
        .gauge,
        help: "Operator events that wait to be posted."
    )
    /// Attempts to fetch key sets (``KeySetFetchLabel``).
    package static let keySetFetches = MetricDeclaration(
        "switchboard_identity_key_set_fetches_total",
        .counter,
        help: "Attempts to fetch a JWK set, by result.",
        labels: ["result"]
    )
    /// Codes that devices presented (``CodeExchangeLabel``).
    package static let codeExchanges = MetricDeclaration(
        "switchboard_identity_code_exchanges_total",
        .counter,
        help: "Authorization codes that devices presented, by result.",
        labels: ["result"]
    )
    /// Requests for access tokens of Talkdesk (``AccessTokenLabel``).
    package static let accessTokens = MetricDeclaration(
        "switchboard_access_tokens_total",
        .counter,
        help: "Requests of apps for access tokens, by result.",
        labels: ["result"]
    )
    /// The time from a request to an identity provider to its response or the timeout
    /// (``IdentityProviderRequestLabel``).
    package static let identityProviderDuration = MetricDeclaration(
        "switchboard_identity_provider_request_seconds",
        .histogram(bounds: secondBounds),
        help: "Time from a request to an identity provider to its response or the timeout.",
        labels: ["request"]
    )
    /// Open messaging windows.
    package static let windowsOpen = MetricDeclaration(
        "switchboard_windows_open",
        .gauge,
        help: "Open messaging windows."
    )
    /// Messaging windows that were opened.
    package static let windowsOpened = MetricDeclaration(
        "switchboard_windows_opened_total",
        .counter,
        help: "Messaging windows that were opened with a valid token."
    )
    /// Messaging windows that closed (``WindowCloseLabel``).
    package static let windowsClosed = MetricDeclaration(
        "switchboard_windows_closed_total",
        .counter,
        help: "Messaging windows that closed or were rejected, by reason.",
        labels: ["reason"]
    )
    /// Frames of messaging windows (``WindowFrameLabel``).
    package static let windowFrames = MetricDeclaration(
        "switchboard_window_frames_total",
        .counter,
        help: "JSON frames of messaging windows: in from clients, out to clients.",
        labels: ["direction"]
    )
    /// Series that were dropped.
    package static let telemetryDroppedSeries = MetricDeclaration(
        "switchboard_telemetry_dropped_series_total",
        .counter,
        help: "Series that were dropped: too many series, or one name used for two kinds."
    )
    /// Log lines that were dropped because standard error was not read fast enough.
    package static let logDroppedLines = MetricDeclaration(
        "switchboard_log_dropped_lines_total",
        .counter,
        help: "Log lines that were dropped because standard error was not read fast enough."
    )
    // The process metrics have the names that Prometheus' own client libraries use, so that standard dashboards work.
    /// Resident memory.
    package static let processResidentMemory = MetricDeclaration(
        "process_resident_memory_bytes",
        .gauge,
        help: "Resident memory size in bytes."
    )
    /// The number of open file descriptors.
    package static let processOpenFDs = MetricDeclaration(
        "process_open_fds",
        .gauge,
        help: "Number of open file descriptors."
    )
    /// The maximum number of open file descriptors.
    package static let processMaxFDs = MetricDeclaration(
        "process_max_fds",
        .gauge,
        help: "Maximum number of open file descriptors."
    )
    /// CPU time.
    package static let processCPU = MetricDeclaration(
        "process_cpu_seconds_total",
        .counter,
        help: "Total user and system CPU time spent in seconds."
    )
    /// The start time of the process.
    package static let processStart = MetricDeclaration(
        "process_start_time_seconds",
        .gauge,
        help: "Start time of the process since unix epoch in seconds."
    )

    /// All declarations.
    package static let all = [
        intakeEvents, intakePendingEvents, intakeWait, storeCommit, storeCommitRows, storeErrors,
        housekeepingRemovedRows, housekeepingBatch, clockGuarded, clockAhead, deliveryOutcomes,
        deliveryProviderLatency, deliveryEndToEnd, deliveryOwnedRows,
        deliveryInFlight, deliveryOpenBreakers, deliveryStoppedPlatforms, deliverySuspendedLanes,
        deliverySuspensions, deliveryOldestWaiting, deliveryQueueWait, deliveryResends,
        deliveryHeldRows,
        providerConnections,
        providerConnectionsClosed, providerOpenStreams, providerHeldBack, apnsCertificates, credentials,
        serverCertificateExpiry,
        httpRequests, httpRequestDuration,
        httpConnections, httpBodyBytes, httpRefused,
        httpCutOff,
        hostFaults, storageFree, sessionsOpened,
        outboundItems, outboundWaitingReaders, webhookPosts, webhooks, webhookLag, replyPosts,
        replies, replyLag, operatorEvents, operatorPosts, operatorEventsWaiting,
        objectives, canaries,
        keySetFetches, codeExchanges, accessTokens, identityProviderDuration,
        windowsOpen, windowsOpened, windowsClosed, windowFrames,
        telemetryDroppedSeries, traceSpans, logDroppedLines,
        processResidentMemory, processOpenFDs, processMaxFDs, processCPU, processStart,
    ]
}
