<?php
// Required by LocalSettings.php: a wiki that looks like a Wikimedia one to an API client, and fails when router.php says so.

// Where it stands now: the folder may be a copy of the one that the export was imported into.
$wgSQLiteDataDir = getenv( 'MW_TEST_HOME' ) . '/data';
if ( is_file( getenv( 'MW_TEST_HOME' ) . '/port' ) ) {
	$wgServer .= ':' . trim( file_get_contents( getenv( 'MW_TEST_HOME' ) . '/port' ) );
}

// Without fsync the import takes a tenth of the time, and a test's wiki can be made again.
$quick = [ 'synchronous' => 'OFF' ];
$wgDBservers = [ [
	'type' => 'sqlite', 'host' => '', 'user' => '', 'password' => '', 'dbname' => $wgDBname,
	'dbDirectory' => $wgSQLiteDataDir, 'tablePrefix' => '', 'flags' => DBO_DEFAULT, 'load' => 1, 'variables' => $quick,
] ];
$here = [ 'dbDirectory' => $wgSQLiteDataDir, 'variables' => $quick ];
$wgObjectCaches[CACHE_DB]['server'] = $here + $wgObjectCaches[CACHE_DB]['server'];
$wgJobTypeConf['default']['server'] = $here + $wgJobTypeConf['default']['server'];
$wgLocalisationCacheConf['storeServer'] = $here + $wgLocalisationCacheConf['storeServer'];

// Maintenance scripts change the wiki behind the server's back, so the server remembers nothing.
$wgMainCacheType = CACHE_NONE;
$wgCacheDirectory = getenv( 'MW_TEST_HOME' ) . '/cache';
$wgJobRunRate = 0;
$wgMiserMode = true;
$wgRCMaxAge = 3650 * 86400;
$wgExtraNamespaces[118] = 'Draft';
$wgExtraNamespaces[119] = 'Draft_talk';
$wgServer = getenv( 'MW_SERVER' ) ?: $wgServer;
$wgAPIMaxResultSize = (int)( getenv( 'MW_API_MAX' ) ?: 8388608 );

// The faults that arise inside MediaWiki; see router.php.
$wgHooks['ApiMaxLagInfo'][] = static function ( &$info ) {
	[ $kind, $argument ] = $GLOBALS['fault'] ?? [ '', '' ];
	if ( $kind === 'lag' ) {
		$info = [ 'host' => 'db1234', 'lag' => (float)$argument, 'type' => 'db' ];
	}
};
$wgHooks['ApiCheckCanExecute'][] = static function ( $module, $user, &$message ) {
	[ $kind ] = $GLOBALS['fault'] ?? [ '' ];
	if ( $kind === 'ratelimited' ) {
		$message = ApiMessage::create( 'apierror-ratelimited', 'ratelimited' );
		return false;
	}
	if ( $kind === 'exception' ) {
		throw new RuntimeException( 'injected' );
	}
};

// What a Wikipedia's pages cannot be read without.
foreach ( [ 'Cite', 'ParserFunctions', 'Poem' ] as $extension ) {
	if ( is_file( "$IP/extensions/$extension/extension.json" ) ) {
		wfLoadExtension( $extension );
	}
}
