/// Every metric of the gateway, declared once: names, kinds, label sets and units are part of what operators rely on.
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

    /// Events by what became of them (``EventResultLabel``).
    package static let intakeEvents = MetricDeclaration(
        "switchboard_intake_events_total",
        .counter,
        help: "Events by what became of them.",
        labels: ["result"]
    )
    /// Events that wait for their commit.
    package static let intakePendingEvents = MetricDeclaration(
        "switchboard_intake_pending_events",
        .gauge,
        help: "Events that wait for their commit."
    )
    /// From taking a request's events to the start of their commit.
    package static let intakeWait = MetricDeclaration(
        "switchboard_intake_wait_seconds",
        .histogram(bounds: secondBounds),
        help: "From taking events to the start of their commit."
    )
    /// How long one turn of the writer takes, sync included.
    package static let storeCommit = MetricDeclaration(
        "switchboard_store_commit_seconds",
        .histogram(bounds: secondBounds),
        help: "Duration of one turn of the writer, sync included."
    )
    /// Events, outcomes and changes of one turn of the writer.
    package static let storeCommitRows = MetricDeclaration(
        "switchboard_store_commit_rows",
        .histogram(bounds: countBounds),
        help: "Events, outcomes and changes of one turn of the writer."
    )
    /// Turns of the writer that failed, by the store's word for why.
    package static let storeErrors = MetricDeclaration(
        "switchboard_store_errors_total",
        .counter,
        help: "Turns of the writer that failed.",
        labels: ["error"]
    )
    /// Rows that housekeeping removed (``HousekeepingLabel``).
    package static let housekeepingRemovedRows = MetricDeclaration(
        "switchboard_housekeeping_removed_rows_total",
        .counter,
        help: "Rows that housekeeping removed, by kind of work.",
        labels: ["kind"]
    )
    /// How long a batch of housekeeping held the writer, sync included.
    package static let housekeepingBatch = MetricDeclaration(
        "switchboard_housekeeping_batch_seconds",
        .histogram(bounds: secondBounds),
        help: "How long a batch of housekeeping held the writer, sync included."
    )
    /// Answers of providers, or their absence.
    package static let deliveryOutcomes = MetricDeclaration(
        "switchboard_delivery_outcomes_total",
        .counter,
        help: "Answers of providers by what they mean; reason is empty where the provider gave none.",
        labels: ["provider", "outcome", "reason"]
    )
    /// From leaving to the provider's answer.
    package static let deliveryProviderLatency = MetricDeclaration(
        "switchboard_delivery_provider_latency_seconds",
        .histogram(bounds: secondBounds),
        help: "From leaving the gateway to the provider's answer.",
        labels: ["provider"]
    )
    /// From accepting an event to the provider taking its push.
    package static let deliveryEndToEnd = MetricDeclaration(
        "switchboard_delivery_end_to_end_seconds",
        .histogram(bounds: longSecondBounds),
        help: "From accepting an event to the provider taking its push.",
        labels: ["provider"]
    )
    /// Deliveries to consumers with a messaging window open (``HeldLabel``).
    package static let deliveryHeldRows = MetricDeclaration(
        "switchboard_delivery_held_rows_total",
        .counter,
        help:
            "Deliveries held for an open messaging window, released when it closed, suppressed when it acknowledged them.",
        labels: ["result"]
    )
    /// Rows that lanes hold in memory.
    package static let deliveryOwnedRows = MetricDeclaration(
        "switchboard_delivery_owned_rows",
        .gauge,
        help: "Deliveries that lanes hold in memory.",
        labels: ["provider"]
    )
    /// Pushes that left and are not answered.
    package static let deliveryInFlight = MetricDeclaration(
        "switchboard_delivery_in_flight_pushes",
        .gauge,
        help: "Pushes that left and are not answered yet.",
        labels: ["provider"]
    )
    /// Lanes that stopped because their credential is refused.
    package static let deliveryOpenBreakers = MetricDeclaration(
        "switchboard_delivery_open_breaker_lanes",
        .gauge,
        help: "Lanes that stopped because their credential or set-up is refused.",
        labels: ["provider"]
    )
    /// Platforms of lanes whose devices the provider cannot reach.
    package static let deliveryStoppedPlatforms = MetricDeclaration(
        "switchboard_delivery_stopped_platforms",
        .gauge,
        help: "Platforms of lanes whose devices wait: the provider's own credential for them is refused.",
        labels: ["provider"]
    )
    /// Lanes whose provider calls too many devices gone.
    package static let deliverySuspendedLanes = MetricDeclaration(
        "switchboard_delivery_suspended_lanes",
        .gauge,
        help: "Lanes that wait because their provider calls too many devices gone; no registration is lost.",
        labels: ["provider"]
    )
    /// How often lanes were suspended.
    package static let deliverySuspensions = MetricDeclaration(
        "switchboard_delivery_lane_suspensions_total",
        .counter,
        help: "Times that a lane was suspended because its provider called too many devices gone.",
        labels: ["provider"]
    )
    /// APNs certificates by how near their end is.
    package static let apnsCertificates = MetricDeclaration(
        "switchboard_apns_certificates",
        .gauge,
        help: "APNs certificates in use by how near their end is; the log and each app's settings name them.",
        labels: ["expiry"]
    )
    /// From accepting an event to its push leaving for the provider.
    package static let deliveryQueueWait = MetricDeclaration(
        "switchboard_delivery_queue_wait_seconds",
        .histogram(bounds: longSecondBounds),
        help: "From accepting an event to its push leaving, later tries included.",
        labels: ["provider"]
    )
    /// Pushes that left once more after an earlier try.
    package static let deliveryResends = MetricDeclaration(
        "switchboard_delivery_resends_total",
        .counter,
        help: "Pushes that left once more after an earlier try.",
        labels: ["provider"]
    )
    /// Connections to providers (``ConnectionLabel``).
    package static let providerConnections = MetricDeclaration(
        "switchboard_provider_connections",
        .gauge,
        help: "Connections to providers by what they are doing.",
        labels: ["provider", "state"]
    )
    /// Connections to providers that ended.
    package static let providerConnectionsClosed = MetricDeclaration(
        "switchboard_provider_connections_closed_total",
        .counter,
        help: "Connections to providers that ended, by why.",
        labels: ["provider", "reason"]
    )
    /// Streams to providers.
    package static let providerOpenStreams = MetricDeclaration(
        "switchboard_provider_open_streams",
        .gauge,
        help: "HTTP/2 streams to providers that are open.",
        labels: ["provider"]
    )
    /// How often a connection to a provider was full (``HoldBackLabel``).
    package static let providerHeldBack = MetricDeclaration(
        "switchboard_provider_held_back_total",
        .counter,
        help: "How often a connection to a provider could take no more pushes, by what held it back.",
        labels: ["provider", "by"]
    )
    /// HTTP requests by route template.
    package static let httpRequests = MetricDeclaration(
        "switchboard_http_requests_total",
        .counter,
        help: "HTTP requests by route and class of status.",
        labels: ["method", "route", "status_class"]
    )
    /// From a request's head to its response.
    package static let httpRequestDuration = MetricDeclaration(
        "switchboard_http_request_seconds",
        .histogram(bounds: secondBounds),
        help: "From a request's head to the end of its response.",
        labels: ["method", "route"]
    )
    /// Connections of callers.
    package static let httpConnections = MetricDeclaration(
        "switchboard_http_open_connections",
        .gauge,
        help: "Connections of callers that are open."
    )
    /// Bytes of request bodies.
    package static let httpBodyBytes = MetricDeclaration(
        "switchboard_http_body_bytes",
        .gauge,
        help: "Bytes of request bodies in memory: requests that are being read or handled."
    )
    /// What was turned away because a limit was reached (``RefusalLabel``).
    package static let httpRefused = MetricDeclaration(
        "switchboard_http_refused_total",
        .counter,
        help:
            "Connections, requests and windows that were turned away, by the limit that was reached.",
        labels: ["limit"]
    )
    /// Connections that were closed because the caller was too slow (``CutOffLabel``).
    package static let httpCutOff = MetricDeclaration(
        "switchboard_http_cut_off_total",
        .counter,
        help: "Connections that were closed because the caller was too slow.",
        labels: ["reason"]
    )
    /// What is wrong with the machine.
    package static let machineFaults = MetricDeclaration(
        "switchboard_machine_fault",
        .gauge,
        help: "1 while the machine has the fault and events are refused because of it, else 0.",
        labels: ["fault"]
    )
    /// Whether nothing expires because the clock may be wrong.
    package static let clockGuarded = MetricDeclaration(
        "switchboard_clock_guarded",
        .gauge,
        help: "1 while nothing expires because the system clock was far ahead of the data at the start, else 0."
    )
    /// The gateway's time beside the system clock.
    package static let clockAhead = MetricDeclaration(
        "switchboard_clock_ahead_seconds",
        .gauge,
        help: "Seconds by which the gateway's time is ahead of the system clock; negative when it is behind."
    )
    /// Sessions that were opened, by grant.
    package static let sessionsOpened = MetricDeclaration(
        "switchboard_sessions_opened_total",
        .counter,
        help: "Consumer sessions that were opened.",
        labels: ["grant"]
    )
    /// Items of outbound feeds.
    package static let outboundItems = MetricDeclaration(
        "switchboard_outbound_items_total",
        .counter,
        help: "Items that were stored in outbound feeds."
    )
    /// Readers that wait for items.
    package static let outboundWaitingReaders = MetricDeclaration(
        "switchboard_outbound_waiting_readers",
        .gauge,
        help: "Requests that wait for outbound items."
    )
    /// Tries to post to webhooks (``WebhookResultLabel``).
    package static let webhookPosts = MetricDeclaration(
        "switchboard_webhook_posts_total",
        .counter,
        help: "Tries to post a batch to a webhook, by how they ended.",
        labels: ["result"]
    )
    /// Webhooks by how they stand (``WebhookConditionLabel``).
    package static let webhooks = MetricDeclaration(
        "switchboard_webhooks",
        .gauge,
        help: "Webhooks by how they stand; the log and each webhook's state name them.",
        labels: ["condition"]
    )
    /// How far the slowest webhook is behind.
    package static let webhookLag = MetricDeclaration(
        "switchboard_webhook_lag_items",
        .gauge,
        help: "Outbound items that the webhook that is furthest behind has before it."
    )
    /// Tries to read a set of keys (``KeySetFetchLabel``).
    package static let keySetFetches = MetricDeclaration(
        "switchboard_identity_key_set_fetches_total",
        .counter,
        help: "Tries to read a JWK set, by how they ended.",
        labels: ["result"]
    )
    /// Codes that devices presented (``CodeExchangeLabel``).
    package static let codeExchanges = MetricDeclaration(
        "switchboard_identity_code_exchanges_total",
        .counter,
        help: "Authorization codes that devices presented, by what became of them.",
        labels: ["result"]
    )
    /// From asking an identity provider to its answer, or to giving up (``IdentityProviderRequestLabel``).
    package static let identityProviderDuration = MetricDeclaration(
        "switchboard_identity_provider_request_seconds",
        .histogram(bounds: secondBounds),
        help: "From asking an identity provider to its answer, or to giving up.",
        labels: ["request"]
    )
    /// Messaging windows that are open.
    package static let windowsOpen = MetricDeclaration(
        "switchboard_windows_open",
        .gauge,
        help: "Messaging windows that are open."
    )
    /// Messaging windows that were opened.
    package static let windowsOpened = MetricDeclaration(
        "switchboard_windows_opened_total",
        .counter,
        help: "Messaging windows that were opened with a good token."
    )
    /// Messaging windows that closed (``WindowCloseLabel``).
    package static let windowsClosed = MetricDeclaration(
        "switchboard_windows_closed_total",
        .counter,
        help: "Messaging windows that closed or were refused, by why.",
        labels: ["reason"]
    )
    /// Frames of messaging windows (``WindowFrameLabel``).
    package static let windowFrames = MetricDeclaration(
        "switchboard_window_frames_total",
        .counter,
        help: "JSON frames of messaging windows, in from clients and out to them.",
        labels: ["direction"]
    )
    /// Series that did not fit.
    package static let telemetryDroppedSeries = MetricDeclaration(
        "switchboard_telemetry_dropped_series_total",
        .counter,
        help: "Series that were not kept: too many, or a name used for two kinds."
    )
    // The process metrics keep the names that Prometheus' own clients use, so that stock dashboards fit.
    /// Memory in RAM.
    package static let processResidentMemory = MetricDeclaration(
        "process_resident_memory_bytes",
        .gauge,
        help: "Resident memory size in bytes."
    )
    /// Open file descriptors.
    package static let processOpenFDs = MetricDeclaration(
        "process_open_fds",
        .gauge,
        help: "Number of open file descriptors."
    )
    /// How many file descriptors may be open.
    package static let processMaxFDs = MetricDeclaration(
        "process_max_fds",
        .gauge,
        help: "Maximum number of open file descriptors."
    )
    /// Processor time.
    package static let processCPU = MetricDeclaration(
        "process_cpu_seconds_total",
        .counter,
        help: "Total user and system CPU time spent in seconds."
    )
    /// When the process started.
    package static let processStart = MetricDeclaration(
        "process_start_time_seconds",
        .gauge,
        help: "Start time of the process since unix epoch in seconds."
    )

    /// All of them.
    package static let all = [
        intakeEvents, intakePendingEvents, intakeWait, storeCommit, storeCommitRows, storeErrors,
        housekeepingRemovedRows, housekeepingBatch, clockGuarded, clockAhead, deliveryOutcomes,
        deliveryProviderLatency, deliveryEndToEnd, deliveryOwnedRows,
        deliveryInFlight, deliveryOpenBreakers, deliveryStoppedPlatforms, deliverySuspendedLanes,
        deliverySuspensions, deliveryQueueWait, deliveryResends,
        deliveryHeldRows,
        providerConnections,
        providerConnectionsClosed, providerOpenStreams, providerHeldBack, apnsCertificates,
        httpRequests, httpRequestDuration,
        httpConnections, httpBodyBytes, httpRefused,
        httpCutOff,
        machineFaults, sessionsOpened,
        outboundItems, outboundWaitingReaders, webhookPosts, webhooks, webhookLag,
        keySetFetches, codeExchanges, identityProviderDuration,
        windowsOpen, windowsOpened, windowsClosed, windowFrames,
        telemetryDroppedSeries, processResidentMemory, processOpenFDs, processMaxFDs, processCPU, processStart,
    ]
}
