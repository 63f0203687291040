<?php
// Required by LocalSettings.php: a wiki that looks like a Wikimedia one to an API client, and fails when router.php says so.

// Without fsync the import takes a tenth of the time, and a test's wiki can be made again.
$quick = [ 'synchronous' => 'OFF' ];
$wgDBservers = [ [
	'type' => 'sqlite', 'host' => '', 'user' => '', 'password' => '', 'dbname' => $wgDBname,
	'dbDirectory' => $wgSQLiteDataDir, 'tablePrefix' => '', 'flags' => DBO_DEFAULT, 'load' => 1, 'variables' => $quick,
] ];
$wgObjectCaches[CACHE_DB]['server']['variables'] = $quick;
$wgJobTypeConf['default']['server']['variables'] = $quick;
$wgLocalisationCacheConf['storeServer']['variables'] = $quick;

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
