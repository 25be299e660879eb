// Made by build/generate.ts from the server's OpenAPI document. Do not edit.

/** What all `paths` begin with, below the server's URL. */
export const BASE_PATH = '/api/public/v1'

/** The member of a POST's answer that only its first answer has, by path. */
export const SECRETS: { readonly [path: string]: 'key' | 'secret' | undefined } = {
  "/api-keys": "key",
  "/api-keys/{id}/regenerate": "key",
  "/webhooks": "secret",
  "/webhooks/{id}/rotate-secret": "secret"
}

export interface paths {
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description A live key sees the keys of both modes, a test key those of test mode.
         *
         *     Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                    /** @description `live` counts against the plan, `test` is free and sees only test-mode records. */
                    mode?: "live" | "test";
                    /** @description Default `active`. */
                    status?: "active" | "revoked" | "expired" | "all";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["ApiKey"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create an API key
         * @description The answer holds the full value in `key`, this once. `mode` is the calling key’s unless given; a test key cannot create a live one. An account has at most a certain number of active keys in each mode, 1,000 unless the operator set another: 409.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at?: string;
                        /** @description `live` counts against the plan, `test` is free and sees only test-mode records. */
                        mode?: "live" | "test";
                        /** @example Production */
                        name: string;
                        /**
                         * @description Requests in any hour (sliding window).
                         * @example 1000
                         */
                        rate_limit?: number;
                        /**
                         * @description `read` allows GET; `write` allows everything `read` allows, and POST, PATCH, DELETE.
                         * @example [
                         *       "read",
                         *       "write"
                         *     ]
                         */
                        scopes: ("read" | "write")[];
                    };
                };
            };
            responses: {
                /** @description The key and its value. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["ApiKeyWithValue"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API key
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The key. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["ApiKey"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description At once and for good; the record stays.
         *
         *     Scope: `write`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The revoked key. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["ApiKey"];
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change the name or the rate limit of an API key
         * @description A new `rate_limit` holds for the next request and keeps the history of the window. A revoked key cannot be changed.
         *
         *     Scope: `write`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example Production */
                        name?: string;
                        /**
                         * @description Requests in any hour (sliding window).
                         * @example 1000
                         */
                        rate_limit?: number;
                    };
                };
            };
            responses: {
                /** @description The changed key. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["ApiKey"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api-keys/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the value of an API key
         * @description Keeps the id; the old value stops working at once, without a grace period. A revoked or expired key cannot be regenerated.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The key and its new value. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["ApiKeyWithValue"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the calling API key
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The calling key. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["ApiKey"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/articles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List articles
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only records created after this time. */
                    created_after?: string;
                    /** @description Only records created before this time. */
                    created_before?: string;
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    keyword_id?: string;
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                    project_id?: string;
                    status?: "DRAFT" | "PUBLISHED";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Article"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create an article
         * @description Fires `article.created`, and `article.published` when its status is PUBLISHED.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Markdown.
                         * @example # Ten ways
                         *
                         *     Grind first.
                         */
                        body?: string;
                        keyword_id?: string | null;
                        /**
                         * @description The project it belongs to.
                         * @example prj_01kafz3v5tf4qrm8z3x9d2c7ne
                         */
                        project_id: string;
                        /**
                         * @description Letters and digits in groups joined by hyphens; made from the title when absent.
                         * @example ten-ways-to-brew-coffee
                         */
                        slug?: string;
                        status?: "DRAFT" | "PUBLISHED";
                        /** @example Ten ways to brew coffee */
                        title: string;
                    };
                };
            };
            responses: {
                /** @description The article. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Article"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/articles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an article
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The article. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Article"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete an article permanently
         * @description Fires `article.deleted`.
         *
         *     Scope: `write`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is deleted. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                /** @constant */
                                deleted: true;
                                /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                                id: string;
                            };
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change an article
         * @description Fires `article.updated` with the names of the changed fields, and `article.published` when it becomes PUBLISHED. A PATCH that changes nothing fires nothing.
         *
         *     Scope: `write`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * @description Markdown.
                         * @example # Ten ways
                         *
                         *     Grind first.
                         */
                        body?: string;
                        keyword_id?: string | null;
                        /**
                         * @description Letters and digits in groups joined by hyphens; made from the title when absent.
                         * @example ten-ways-to-brew-coffee
                         */
                        slug?: string;
                        status?: "DRAFT" | "PUBLISHED";
                        /** @example Ten ways to brew coffee */
                        title?: string;
                    };
                };
            };
            responses: {
                /** @description The changed article. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Article"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to all webhooks
         * @description With `status=FAILED`, the failed deliveries. `reasons` counts errors over all pages: the 20 most common among the newest 10,000 deliveries that match the filter.
         *
         *     Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only records created after this time. */
                    created_after?: string;
                    /** @description Only records created before this time. */
                    created_before?: string;
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @description One of the nine event types. */
                    event?: "article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed";
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                    /** @description RETRYING waits for its first or next attempt; DELIVERED and FAILED are final. */
                    status?: "RETRYING" | "DELIVERED" | "FAILED";
                    webhook_id?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Delivery"][];
                            next_cursor: string | null;
                            reasons: components["schemas"]["Reason"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Event"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event with its deliveries
         * @description Includes deliveries to webhooks that have been deleted since.
         *
         *     Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The event. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["EventDetail"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List generations
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only records created after this time. */
                    created_after?: string;
                    /** @description Only records created before this time. */
                    created_before?: string;
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    keyword_id?: string;
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                    project_id?: string;
                    /** @description COMPLETED, FAILED and CANCELLED are final. */
                    status?: "QUEUED" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Generation"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Generate an article for a keyword
         * @description Queues the job. `generation.started` follows when it is picked up, then `generation.completed` with the draft article, or `generation.failed`. A live generation is taken from the monthly quota, and given back when it fails or is cancelled.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        instructions?: string | null;
                        /**
                         * @description The keyword to write about. The article goes into its project.
                         * @example kw_01kafz3v5tf4qrm8z3x9d2c7ne
                         */
                        keyword_id: string;
                    };
                };
            };
            responses: {
                /** @description It is queued. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Generation"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a generation
         * @description While it is RUNNING, `progress` shows how far it is.
         *
         *     Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The generation. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Generation"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a generation
         * @description It is CANCELLED at once, makes no article and fires no event. Only one that is QUEUED or RUNNING can be.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is cancelled. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Generation"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keywords/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a keyword
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The keyword. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Keyword"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a keyword and its rankings
         * @description Its articles remain without `keyword_id`, and `article.updated` is fired for each. Beyond 100 articles, the others follow in the background.
         *
         *     Scope: `write`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is deleted. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                /** @constant */
                                deleted: true;
                                /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                                id: string;
                            };
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a keyword
         * @description Once it has rankings, only `tracked` and the case of `keyword` can change, so that its history belongs to one search.
         *
         *     Scope: `write`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * @description ISO 3166-1 alpha-2, in capitals: where the search is made. `US` when absent.
                         * @example US
                         */
                        country?: string;
                        /** @example desktop */
                        device?: "desktop" | "mobile";
                        /**
                         * @description White space is trimmed, and each run of it becomes one space; at most 200 characters are left then.
                         * @example cold brew coffee
                         */
                        keyword?: string;
                        /**
                         * @description Whether its rankings fire `keyword.ranked`; true when absent.
                         * @example true
                         */
                        tracked?: boolean;
                    };
                };
            };
            responses: {
                /** @description The changed keyword. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Keyword"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/keywords/{id}/rankings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rankings of a keyword
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only what was checked later. */
                    checked_after?: string;
                    /** @description Only what was checked earlier. */
                    checked_before?: string;
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The latest `checked_at` first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Ranking"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Store a ranking of a keyword
         * @description Fires `keyword.ranked` when the keyword is tracked, also for an unchanged position.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description The time of the search; now when absent. A time up to five minutes in the future is stored as now.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        checked_at?: string;
                        position: number | null;
                        url?: string | null;
                    };
                };
            };
            responses: {
                /** @description The ranking. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Ranking"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only records created after this time. */
                    created_after?: string;
                    /** @description Only records created before this time. */
                    created_before?: string;
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Project"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a project
         * @description Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        domain?: string | null;
                        /**
                         * @description BCP 47; `en` when absent.
                         * @example en
                         * @example pt-BR
                         */
                        language?: string;
                        /** @example Acme blog */
                        name: string;
                    };
                };
            };
            responses: {
                /** @description The project. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Project"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The project. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Project"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a project and its records
         * @description Hidden at once with its articles and keywords. `article.deleted` follows for each article.
         *
         *     Scope: `write`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is deleted. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                /** @constant */
                                deleted: true;
                                /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                                id: string;
                            };
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Scope: `write`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        domain?: string | null;
                        /**
                         * @description BCP 47; `en` when absent.
                         * @example en
                         * @example pt-BR
                         */
                        language?: string;
                        /** @example Acme blog */
                        name?: string;
                    };
                };
            };
            responses: {
                /** @description The changed project. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Project"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/projects/{id}/keywords": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keywords of a project
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description ISO 3166-1 alpha-2, in capitals. */
                    country?: string;
                    /** @description Only records created after this time. */
                    created_after?: string;
                    /** @description Only records created before this time. */
                    created_before?: string;
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    device?: "desktop" | "mobile";
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                    tracked?: "true" | "false";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Keyword"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Add a keyword to a project
         * @description Unique within the project, whatever its case, for each country and device. Fires `keyword.created`.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description ISO 3166-1 alpha-2, in capitals: where the search is made. `US` when absent.
                         * @example US
                         */
                        country?: string;
                        /** @example desktop */
                        device?: "desktop" | "mobile";
                        /**
                         * @description White space is trimmed, and each run of it becomes one space; at most 200 characters are left then.
                         * @example cold brew coffee
                         */
                        keyword: string;
                        /**
                         * @description Whether its rankings fire `keyword.ranked`; true when absent.
                         * @example true
                         */
                        tracked?: boolean;
                    };
                };
            };
            responses: {
                /** @description The keyword. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Keyword"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this month's usage
         * @description The account's live usage in this UTC month and its quota, whichever key calls. Test mode counts nowhere. A generation beyond the quota gets a 402.
         *
         *     Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The usage. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Usage"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Webhook"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a webhook
         * @description Checks that every address of the URL is public and sends nothing. The secret is in this response only. An account has at most 100 webhooks in each mode, unless the operator configured another limit; one more is a 409.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        description?: string | null;
                        /**
                         * @description While false, nothing is sent, and events are kept as FAILED deliveries.
                         * @example true
                         */
                        enabled?: boolean;
                        /**
                         * @description The event types that it is subscribed to.
                         * @example [
                         *       "article.published",
                         *       "generation.completed"
                         *     ]
                         */
                        events: ("article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed")[];
                        /**
                         * @description While true, events are sent in the order in which their changes were committed, one at a time: the next is sent when the one before it is DELIVERED or FAILED.
                         * @example true
                         */
                        ordered?: boolean;
                        /**
                         * @description Public HTTPS URL that receives deliveries by POST: at most 2,048 characters, no credentials, no fragment.
                         * @example https://example.com/hooks
                         */
                        url: string;
                    };
                };
            };
            responses: {
                /** @description The webhook. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["WebhookWithSecret"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The webhook. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Its deliveries remain readable through `GET /events/<id>`.
         *
         *     Scope: `write`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is deleted. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                /** @constant */
                                deleted: true;
                                /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                                id: string;
                            };
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Attempts that begin afterwards use the new URL.
         *
         *     Scope: `write`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        description?: string | null;
                        /**
                         * @description While false, nothing is sent, and events are kept as FAILED deliveries.
                         * @example true
                         */
                        enabled?: boolean;
                        /**
                         * @description The event types that it is subscribed to.
                         * @example [
                         *       "article.published",
                         *       "generation.completed"
                         *     ]
                         */
                        events?: ("article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed")[];
                        /**
                         * @description While true, events are sent in the order in which their changes were committed, one at a time: the next is sent when the one before it is DELIVERED or FAILED.
                         * @example true
                         */
                        ordered?: boolean;
                        /**
                         * @description Public HTTPS URL that receives deliveries by POST: at most 2,048 characters, no credentials, no fragment.
                         * @example https://example.com/hooks
                         */
                        url?: string;
                    };
                };
            };
            responses: {
                /** @description The changed webhook. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only records created after this time. */
                    created_after?: string;
                    /** @description Only records created before this time. */
                    created_before?: string;
                    /** @description The `next_cursor` of the previous page. */
                    cursor?: string;
                    /** @description One of the nine event types. */
                    event?: "article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed";
                    /** @description Number of records, 1 to 100. Default 50. */
                    limit?: number;
                    /** @description RETRYING waits for its first or next attempt; DELIVERED and FAILED are final. */
                    status?: "RETRYING" | "DELIVERED" | "FAILED";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Delivery"][];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its attempts
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    delivery_id: string;
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The delivery. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["DeliveryDetail"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Up to three more attempts with the same delivery id and body, numbered on. 409 while the delivery is RETRYING, and while the webhook is disabled.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    delivery_id: string;
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The delivery, RETRYING. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Delivery"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a webhook
         * @description No attempt begins until the webhook is resumed, test deliveries included; its deliveries wait. An attempt that has begun is completed and recorded.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The webhook, paused. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send failed deliveries again
         * @description All FAILED deliveries of the webhook, or those created after `created_after`. 409 while the webhook is disabled.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_after?: string;
                        /**
                         * @description The status of the deliveries to send again.
                         * @example FAILED
                         * @constant
                         */
                        status: "FAILED";
                    };
                };
            };
            responses: {
                /** @description How many. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["RedeliveryResult"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a webhook
         * @description Deliveries that waited are sent.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The webhook, no longer paused. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret
         * @description Every attempt that begins afterwards is signed with the new secret, which is in this response only.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * @description For how long `webhook-signature` also carries a signature by the previous secret. Default 0.
                         * @example 3600
                         */
                        overlap_seconds?: number;
                    };
                };
            };
            responses: {
                /** @description The webhook. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["WebhookWithSecret"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample delivery
         * @description A generation.completed event with placeholder ids and a genuine signature, whatever the webhook is subscribed to, and also while it is disabled.
         *
         *     Scope: `write`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The delivery. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Delivery"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the event types
         * @description Scope: `read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The nine types. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: ("article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed")[];
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "article.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An article record is created (draft or published). */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                            article_id: string;
                            keyword_id: string | null;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                            status: "DRAFT" | "PUBLISHED";
                            /** @example Ten ways to brew coffee */
                            title: string;
                        };
                        /** @constant */
                        event: "article.created";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "article.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An article is hard-deleted. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                            article_id: string;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                        };
                        /** @constant */
                        event: "article.deleted";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "article.published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An article moves to `PUBLISHED`. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                            article_id: string;
                            keyword_id: string | null;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                            status: "DRAFT" | "PUBLISHED";
                            /** @example Ten ways to brew coffee */
                            title: string;
                        };
                        /** @constant */
                        event: "article.published";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "article.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Any field of an article changes. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                            article_id: string;
                            /**
                             * @description The names of the fields that changed.
                             * @example [
                             *       "title",
                             *       "slug"
                             *     ]
                             */
                            changed: string[];
                            keyword_id: string | null;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                            status: "DRAFT" | "PUBLISHED";
                            /** @example Ten ways to brew coffee */
                            title: string;
                        };
                        /** @constant */
                        event: "article.updated";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "generation.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A generation finishes successfully (the article is ready). */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
                            article_id: string;
                            /** @example gen_01kafz3v5tf4qrm8z3x9d2c7ne */
                            generation_id: string;
                            /** @example coffee brewing */
                            keyword: string;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                            /** @constant */
                            status: "COMPLETED";
                        };
                        /** @constant */
                        event: "generation.completed";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "generation.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A generation fails; the payload includes the error. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            error: {
                                /** @example provider_timeout */
                                code: string;
                                /** @example The language model was silent for 90 seconds. */
                                message: string;
                            };
                            /** @example gen_01kafz3v5tf4qrm8z3x9d2c7ne */
                            generation_id: string;
                            /** @example coffee brewing */
                            keyword: string;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                            /** @constant */
                            status: "FAILED";
                        };
                        /** @constant */
                        event: "generation.failed";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "generation.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A generation job is picked up from the queue. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /** @example gen_01kafz3v5tf4qrm8z3x9d2c7ne */
                            generation_id: string;
                            /** @example coffee brewing */
                            keyword: string;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                            /** @constant */
                            status: "RUNNING";
                        };
                        /** @constant */
                        event: "generation.started";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "keyword.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A keyword is added to a project. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /** @example coffee brewing */
                            keyword: string;
                            /** @example kw_01kafz3v5tf4qrm8z3x9d2c7ne */
                            keyword_id: string;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                        };
                        /** @constant */
                        event: "keyword.created";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "keyword.ranked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** New SERP ranking data arrives for a tracked keyword. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC with milliseconds.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC with milliseconds.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            checked_at: string;
                            /** @example coffee brewing */
                            keyword: string;
                            /** @example kw_01kafz3v5tf4qrm8z3x9d2c7ne */
                            keyword_id: string;
                            /**
                             * @description 1 to 100; null when the site was not found.
                             * @example 7
                             */
                            position: number | null;
                            /** @example 12 */
                            previous_position: number | null;
                            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
                            project_id: string;
                            url: string | null;
                        };
                        /** @constant */
                        event: "keyword.ranked";
                        /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
                        id: string;
                    };
                };
            };
            responses: {
                /** @description Received. Any other status, or no response within 30 s, is a failure. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ApiKey: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @example null */
            expires_at: string | null;
            /** @example key_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            last_used_at: string | null;
            /** @description `live` counts against the plan, `test` is free and sees only test-mode records. */
            mode: "live" | "test";
            /** @example Production */
            name: string;
            /**
             * @description The first 12 characters of the value.
             * @example ar_live_4fQ7
             */
            prefix: string;
            /**
             * @description Requests in any hour (sliding window).
             * @example 1000
             */
            rate_limit: number;
            /** @example null */
            revoked_at: string | null;
            /**
             * @description `read` allows GET; `write` allows everything `read` allows, and POST, PATCH, DELETE.
             * @example [
             *       "read",
             *       "write"
             *     ]
             */
            scopes: ("read" | "write")[];
            status: "active" | "revoked" | "expired";
            test_mode: boolean;
        };
        ApiKeyWithValue: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @example null */
            expires_at: string | null;
            /** @example key_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /**
             * @description The full value. Shown in this answer only; it cannot be retrieved later.
             * @example ar_live_4fQ7bXq2Lr9Tz0NcVd8Wk3Ym6PsHj1GuAe5Bo7
             */
            key: string;
            last_used_at: string | null;
            /** @description `live` counts against the plan, `test` is free and sees only test-mode records. */
            mode: "live" | "test";
            /** @example Production */
            name: string;
            /**
             * @description The first 12 characters of the value.
             * @example ar_live_4fQ7
             */
            prefix: string;
            /**
             * @description Requests in any hour (sliding window).
             * @example 1000
             */
            rate_limit: number;
            /** @example null */
            revoked_at: string | null;
            /**
             * @description `read` allows GET; `write` allows everything `read` allows, and POST, PATCH, DELETE.
             * @example [
             *       "read",
             *       "write"
             *     ]
             */
            scopes: ("read" | "write")[];
            status: "active" | "revoked" | "expired";
            test_mode: boolean;
        };
        Article: {
            /**
             * @description Markdown.
             * @example # Ten ways
             *
             *     Grind first.
             */
            body: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @example art_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            keyword_id: string | null;
            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
            project_id: string;
            /** @example null */
            published_at: string | null;
            /**
             * @description Letters and digits in groups joined by hyphens; made from the title when absent.
             * @example ten-ways-to-brew-coffee
             */
            slug: string;
            status: "DRAFT" | "PUBLISHED";
            test_mode: boolean;
            /** @example Ten ways to brew coffee */
            title: string;
        };
        Attempt: {
            /** @example 128 */
            duration_ms: number;
            /** @example null */
            error: string | null;
            http_status: number | null;
            number: number;
            response_body: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            started_at: string;
        };
        Delivery: {
            /** @example 1 */
            attempt_count: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            delivered_at: string | null;
            /** @example null */
            error: string | null;
            /**
             * @description One of the nine event types.
             * @example article.published
             */
            event: "article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed";
            /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
            event_id: string;
            http_status: number | null;
            /**
             * @description The X-Webhook-Delivery-Id of every attempt.
             * @example dlv_01kafz3v5tf4qrm8z3x9d2c7ne
             */
            id: string;
            /** @example null */
            next_attempt_at: string | null;
            response_body: string | null;
            sequence: number | null;
            /**
             * @description RETRYING waits for its first or next attempt; DELIVERED and FAILED are final.
             * @example DELIVERED
             */
            status: "RETRYING" | "DELIVERED" | "FAILED";
            /** @description Whether the test endpoint made it. */
            test: boolean;
            test_mode: boolean;
            /** @example null */
            waits_for: string | null;
            /** @example wh_01kafz3v5tf4qrm8z3x9d2c7ne */
            webhook_id: string;
            workflow_id: string | null;
        };
        DeliveryDetail: {
            /** @example 1 */
            attempt_count: number;
            attempts: components["schemas"]["Attempt"][];
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            delivered_at: string | null;
            /** @example null */
            error: string | null;
            /**
             * @description One of the nine event types.
             * @example article.published
             */
            event: "article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed";
            /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
            event_id: string;
            /** @example null */
            follows_failed: string | null;
            http_status: number | null;
            /**
             * @description The X-Webhook-Delivery-Id of every attempt.
             * @example dlv_01kafz3v5tf4qrm8z3x9d2c7ne
             */
            id: string;
            /** @example null */
            next_attempt_at: string | null;
            request: {
                body: string;
                headers: {
                    [key: string]: string;
                };
                url: string;
            } | null;
            response_body: string | null;
            sequence: number | null;
            /**
             * @description RETRYING waits for its first or next attempt; DELIVERED and FAILED are final.
             * @example DELIVERED
             */
            status: "RETRYING" | "DELIVERED" | "FAILED";
            /** @description Whether the test endpoint made it. */
            test: boolean;
            test_mode: boolean;
            /** @example null */
            waits_for: string | null;
            /** @example wh_01kafz3v5tf4qrm8z3x9d2c7ne */
            webhook_id: string;
            workflow_id: string | null;
        };
        Event: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The payload; its members depend on the event type.
             * @example {
             *       "$ref": "#/components/schemas/Ten ways to brew coffee"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description One of the nine event types.
             * @example article.published
             */
            event: "article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed";
            /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /** @description Whether it is the sample event of the test endpoint. */
            test: boolean;
            test_mode: boolean;
        };
        EventDetail: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The payload; its members depend on the event type.
             * @example {
             *       "$ref": "#/components/schemas/Ten ways to brew coffee"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            deliveries: components["schemas"]["Delivery"][];
            /**
             * @description One of the nine event types.
             * @example article.published
             */
            event: "article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed";
            /** @example evt_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /** @description Whether it is the sample event of the test endpoint. */
            test: boolean;
            test_mode: boolean;
        };
        Generation: {
            article_id: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Why it is FAILED.
             * @example null
             */
            error: {
                code: "provider_unavailable" | "provider_timeout" | "provider_rate_limited" | "provider_rejected" | "provider_incomplete" | "provider_refused" | "stopped";
                /** @example The provider answered 503. Generate it again later. */
                message: string;
            } | null;
            finished_at: string | null;
            /** @example gen_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            instructions: string | null;
            /**
             * @description As it was when the generation was asked for.
             * @example cold brew coffee
             */
            keyword: string;
            keyword_id: string | null;
            /**
             * @description An estimate in per cent; it starts anew when the provider is asked again.
             * @example 100
             */
            progress: number;
            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
            project_id: string;
            started_at: string | null;
            /**
             * @description COMPLETED, FAILED and CANCELLED are final.
             * @example COMPLETED
             */
            status: "QUEUED" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED";
            test_mode: boolean;
        };
        Keyword: {
            /**
             * @description ISO 3166-1 alpha-2, in capitals: where the search is made. `US` when absent.
             * @example US
             */
            country: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @example desktop */
            device: "desktop" | "mobile";
            /** @example kw_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /**
             * @description White space is trimmed, and each run of it becomes one space; at most 200 characters are left then.
             * @example cold brew coffee
             */
            keyword: string;
            latest_position: number | null;
            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
            project_id: string;
            test_mode: boolean;
            /**
             * @description Whether its rankings fire `keyword.ranked`; true when absent.
             * @example true
             */
            tracked: boolean;
        };
        Project: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            domain: string | null;
            /** @example prj_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /**
             * @description BCP 47; `en` when absent.
             * @example en
             * @example pt-BR
             */
            language: string;
            /** @example Acme blog */
            name: string;
            test_mode: boolean;
        };
        Ranking: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            checked_at: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @example rnk_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /** @example kw_01kafz3v5tf4qrm8z3x9d2c7ne */
            keyword_id: string;
            position: number | null;
            test_mode: boolean;
            url: string | null;
        };
        Reason: {
            /** @example 12 */
            count: number;
            /** @example connection refused */
            error: string;
        };
        RedeliveryResult: {
            /**
             * @description How many deliveries are sent again.
             * @example 12
             */
            count: number;
        };
        "Ten ways to brew coffee": unknown;
        Usage: {
            /**
             * @description Articles created, by a request or by a generation.
             * @example 57
             */
            articles: number;
            /**
             * @description Deliveries to webhooks, not attempts. Test deliveries are free.
             * @example 1203
             */
            deliveries: number;
            /**
             * @description Taken from the quota: all except those that failed or were cancelled.
             * @example 42
             */
            generations: number;
            /**
             * @description UTC.
             * @example 2026-01
             */
            month: string;
            quota: {
                /**
                 * @description Generations in a month.
                 * @example 100
                 */
                generations: number;
            };
            /**
             * @description Requests that passed the rate limit.
             * @example 18250
             */
            requests: number;
        };
        Webhook: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            description: string | null;
            /** @example null */
            disabled_reason: string | null;
            /** @example true */
            enabled: boolean;
            events: ("article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed")[];
            /** @example wh_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /**
             * @description While true, events are sent in the order in which their changes were committed, one at a time: the next is sent when the one before it is DELIVERED or FAILED.
             * @example false
             */
            ordered: boolean;
            /**
             * @description While true, nothing is sent, and deliveries wait until the webhook is resumed.
             * @example false
             */
            paused: boolean;
            test_mode: boolean;
            /** @example https://example.com/hooks */
            url: string;
        };
        WebhookWithSecret: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            description: string | null;
            /** @example null */
            disabled_reason: string | null;
            /** @example true */
            enabled: boolean;
            events: ("article.created" | "article.updated" | "article.published" | "article.deleted" | "keyword.created" | "keyword.ranked" | "generation.started" | "generation.completed" | "generation.failed")[];
            /** @example wh_01kafz3v5tf4qrm8z3x9d2c7ne */
            id: string;
            /**
             * @description While true, events are sent in the order in which their changes were committed, one at a time: the next is sent when the one before it is DELIVERED or FAILED.
             * @example false
             */
            ordered: boolean;
            /**
             * @description While true, nothing is sent, and deliveries wait until the webhook is resumed.
             * @example false
             */
            paused: boolean;
            /**
             * @description In this response only. The HMAC key of signatures is the ASCII text of these 64 characters.
             * @example 6b1f0c3a9de24c57b8a06f12e4d39c8570ab4de1f6273c98b5d01e8f3a7c4962
             */
            secret: string;
            test_mode: boolean;
            /** @example https://example.com/hooks */
            url: string;
        };
    };
    responses: {
        Error400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "INVALID_JSON";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "UNAUTHORIZED";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error402: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "PLAN_LIMIT_REACHED";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "FORBIDDEN";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "NOT_FOUND";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error405: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "METHOD_NOT_ALLOWED";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "REQUEST_TIMEOUT";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: "CONFLICT" | "IDEMPOTENCY_KEY_REUSED";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "PAYLOAD_TOO_LARGE";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "UNSUPPORTED_MEDIA_TYPE";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    details?: {
                        message: string;
                        /** @description Path of the member, such as `scopes.0`. */
                        path: string;
                    }[];
                    /** @constant */
                    error: "VALIDATION_ERROR";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "TOO_MANY_REQUESTS";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "INTERNAL_ERROR";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
        Error503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    error: "UNAVAILABLE";
                    /** @description What happened, why, and what to do next. */
                    message: string;
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
