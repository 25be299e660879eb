<?php

require __DIR__ . '/verify.php';

foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$body, $maxAge, $secrets, $headers] = array_pad(explode("\t", $line, 4), 4, '');
    $byName = [];
    foreach (array_chunk(explode("\t", $headers), 2) as [$name, $value]) {
        $byName[$name] = $value;
    }
    $limit = $maxAge === '' ? null : (int) $maxAge;
    echo is_genuine(base64_decode($body), $byName, explode(' ', $secrets), $limit) ? 'true' : 'false', "\n";
}
