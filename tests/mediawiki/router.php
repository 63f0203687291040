<?php
// Router for `php -S`: hands /w/api.php to MediaWiki, writes down every request, and fails on demand.
//
// requests.jsonl: a line a request. faults.txt: a line a fault, "KIND[:ARGUMENT] [PATTERN]"; a request uses up the first
// one whose regular expression (default: anything) matches its decoded address.
//   status:503  status:429,7 (with Retry-After: 7)  html  empty  half (of the answer)
//   cut (the connection, before the answer that was announced has come)
//   lag:12  ratelimited  exception                       MediaWiki's own, see TestSettings.php
//   hold                                                 no answer as long as there is a file `held`
//   pass                                                 no fault at all
const UNAVAILABLE = '<!DOCTYPE html><title>Error</title><p>Our servers are currently under maintenance.';

function remember( string $home ): void {
	$request = [
		'uri' => $_SERVER['REQUEST_URI'],
		'agent' => $_SERVER['HTTP_USER_AGENT'] ?? '',
		'encodings' => $_SERVER['HTTP_ACCEPT_ENCODING'] ?? '',
	];
	file_put_contents( "$home/requests.jsonl", json_encode( $request ) . "\n", FILE_APPEND | LOCK_EX );
}

/** The fault's kind and argument, or two empty strings. */
function takeFault( string $home ): array {
	$file = fopen( "$home/faults.txt", 'c+' );
	flock( $file, LOCK_EX );
	$lines = array_filter( explode( "\n", stream_get_contents( $file ) ) );
	$fault = [ '', '' ];
	foreach ( $lines as $place => $line ) {
		[ $kind, $pattern ] = explode( ' ', $line, 2 ) + [ 1 => '' ];
		if ( preg_match( "~$pattern~", urldecode( $_SERVER['REQUEST_URI'] ) ) ) {
			$fault = explode( ':', $kind, 2 ) + [ 1 => '' ];
			unset( $lines[$place] );
			break;
		}
	}
	ftruncate( $file, 0 );
	rewind( $file );
	fwrite( $file, implode( "\n", $lines ) );
	fclose( $file );
	return $fault;
}

if ( parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) !== '/w/api.php' ) {
	http_response_code( 404 );
	return true;
}
$home = getenv( 'MW_TEST_HOME' );
remember( $home );
$GLOBALS['fault'] = [ $kind, $argument ] = takeFault( $home );
if ( $kind === 'status' ) {
	[ $status, $retryAfter ] = explode( ',', $argument ) + [ 1 => '' ];
	http_response_code( (int)$status );
	if ( $retryAfter !== '' ) {
		header( "Retry-After: $retryAfter" );
	}
	echo UNAVAILABLE;
	return true;
}
if ( $kind === 'html' ) {
	echo UNAVAILABLE;
	return true;
}
if ( $kind === 'empty' ) {
	return true;
}
if ( $kind === 'cut' ) {
	ini_set( 'zlib.output_compression', 'Off' );
	header( 'Content-Length: 1000' );
	echo '{"query":';
	return true;
}
while ( $kind === 'hold' && is_file( "$home/held" ) ) {
	usleep( 10000 );
	clearstatcache();
}
if ( $kind === 'half' ) {
	ini_set( 'zlib.output_compression', 'Off' );
	ob_start( static fn ( $answer ) => substr( $answer, 0, intdiv( strlen( $answer ), 2 ) ) );
}
$root = getenv( 'MW_ROOT' );
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/w/api.php';
$_SERVER['SCRIPT_FILENAME'] = "$root/api.php";
chdir( $root );
require "$root/api.php";
return true;
