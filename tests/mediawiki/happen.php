<?php
// Maintenance script: what befalls a wiki, each at a moment of its own. Standard input holds a JSON object a line:
//   {"at": "20240610000000", "do": "edit", "title": …, "text": …}      creates the page where there is none
//   {"at": …, "do": "move", "title": …, "to": …}                       leaves a redirect
//   {"at": …, "do": "delete", "title": …, "comment": …}   {"at": …, "do": "restore", "title": …}
use MediaWiki\MediaWikiServices;
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
				return $services->getMovePageFactory()->newMovePage( $title, $to )->move( $user );
			case 'delete':
				return $page->doDeleteArticleReal( $event['comment'], $user );
			case 'restore':
				return $services->getUndeletePageFactory()->newUndeletePage( $page, $user )->undeleteUnsafe( '' );
		}
	}
}

$maintClass = Happen::class;
require_once RUN_MAINTENANCE_IF_MAIN;
