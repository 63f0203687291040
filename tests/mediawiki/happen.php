<?php
// Maintenance script: what befalls a wiki, each at a moment of its own. Standard input holds a JSON object a line:
//   {"at": "20240610000000", "do": "edit", "title": …, "text": …}      creates the page where there is none
//   {"at": …, "do": "move", "title": …, "to": …, "redirect": true}     leaves a redirect, or none
//   {"at": …, "do": "delete", "title": …, "comment": …}
//   {"at": …, "do": "restore", "title": …, "only": [timestamps]}       restores all revisions if there is no timestamp
//   {"at": …, "do": "merge", "title": …, "to": …, "only": [timestamp]} all revisions, or those up to the timestamp
//   {"at": …, "do": "import", "title": …, "text": XML}       as importDump.php does: no log says so
//   {"at": …, "do": "upload", "title": …, "text": XML}       as Special:Import does, with an entry in the import log
use MediaWiki\MediaWikiServices;
use MediaWiki\Permissions\UltimateAuthority;
use Wikimedia\Timestamp\ConvertibleTimestamp;

require_once getenv( 'MW_ROOT' ) . '/maintenance/Maintenance.php';

class Happen extends Maintenance {
	public function execute() {
		$user = User::newSystemUser( 'Writer', [ 'steal' => true ] );
		foreach ( explode( "\n", trim( stream_get_contents( STDIN ) ) ) as $line ) {
			$event = json_decode( $line, true );
			ConvertibleTimestamp::setFakeTime( $event['at'] );
			$status = $this->happen( $event, Title::newFromText( $event['title'] ), $user );
			if ( !$status->isOK() ) {
				$this->fatalError( "$line: " . $status->getWikiText( false, false, 'en' ) );
			}
			DeferredUpdates::doUpdates();
		}
	}

	private function happen( array $event, Title $title, User $user ) {
		$services = MediaWikiServices::getInstance();
		$services->getLinkCache()->clear();
		$page = $services->getWikiPageFactory()->newFromTitle( $title );
		switch ( $event['do'] ) {
			case 'edit':
				return $page->doUserEditContent( ContentHandler::makeContent( $event['text'], $title ), $user, '' );
			case 'move':
				$to = Title::newFromText( $event['to'] );
				$move = $services->getMovePageFactory()->newMovePage( $title, $to );
				return $move->move( $user, null, $event['redirect'] );
			case 'delete':
				return $page->doDeleteArticleReal( $event['comment'], $user );
			case 'restore':
				return $services->getUndeletePageFactory()->newUndeletePage( $page, $user )
					->setUndeleteOnlyTimestamps( $event['only'] )->undeleteUnsafe( '' );
			case 'merge':
				$merge = $services->getMergeHistoryFactory()
					->newMergeHistory( $title, Title::newFromText( $event['to'] ), $event['only'][0] ?? null );
				return $merge->merge( new UltimateAuthority( $user ) );
			case 'import':
			case 'upload':
				return $this->import( $event['text'], $event['do'] === 'upload', $user );
		}
	}

	private function import( string $xml, bool $isLogged, User $user ) {
		$services = MediaWikiServices::getInstance();
		$importer = $services->getWikiImporterFactory()->getWikiImporter( new ImportStringSource( $xml ) );
		$importer->setUsernamePrefix( 'imported', false );
		if ( !$isLogged ) {
			return Status::newGood( $importer->doImport() );
		}
		$context = new DerivativeContext( RequestContext::getMain() );
		$context->setUser( $user );
		$reporter = new ImportReporter( $importer, true, '', false );
		$reporter->setContext( $context );
		$reporter->open();
		$importer->doImport();
		return $reporter->close();
	}
}

$maintClass = Happen::class;
require_once RUN_MAINTENANCE_IF_MAIN;
