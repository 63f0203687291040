<?php
// Maintenance script: what an import leaves out, and what importers cannot say.
//   --export FILE          fill the page creation log, as MediaWiki does when a page is saved, and hide the revisions whose
//                          text the export says is deleted (an import makes them empty ones)
//   --hide-creation TITLE  hide the action of the page's entry in the creation log
//   --hide-deletion TITLE  hide the comments of the page's entries in the deletion log
//   --tag-creation TITLE|TAG       tag the edit that created the page, and its entry in the creation log
//   --property TITLE|NAME|VALUE    set a page property
use MediaWiki\MediaWikiServices;
use MediaWiki\Revision\RevisionRecord;

require_once getenv( 'MW_ROOT' ) . '/maintenance/Maintenance.php';

class AfterImport extends Maintenance {
	public function __construct() {
		parent::__construct();
		$this->addOption( 'export', 'the export that was imported', false, true );
		$this->addOption( 'hide-creation', 'the title of a page', false, true );
		$this->addOption( 'hide-deletion', 'the title of a page', false, true );
		$this->addOption( 'tag-creation', 'TITLE|TAG', false, true );
		$this->addOption( 'property', 'TITLE|NAME|VALUE', false, true );
	}

	public function execute() {
		if ( $this->hasOption( 'export' ) ) {
			$this->logCreations();
			$this->hideRevisions( $this->getOption( 'export' ) );
		}
		if ( $this->hasOption( 'hide-creation' ) ) {
			$this->hideCreation( Title::newFromText( $this->getOption( 'hide-creation' ) ) );
		}
		if ( $this->hasOption( 'hide-deletion' ) ) {
			$this->hide( 'logging', 'log_deleted', LogPage::DELETED_COMMENT, [
				'log_type' => 'delete',
				'log_title' => Title::newFromText( $this->getOption( 'hide-deletion' ) )->getDBkey(),
			] );
		}
		if ( $this->hasOption( 'tag-creation' ) ) {
			[ $title, $tag ] = explode( '|', $this->getOption( 'tag-creation' ) );
			$this->tagCreation( Title::newFromText( $title )->getArticleID(), $tag );
		}
		if ( $this->hasOption( 'property' ) ) {
			[ $title, $name, $value ] = explode( '|', $this->getOption( 'property' ) );
			$this->setProperty( Title::newFromText( $title )->getArticleID(), $name, $value );
		}
	}

	private function logCreations() {
		$database = $this->getDB( DB_PRIMARY );
		$revisions = MediaWikiServices::getInstance()->getRevisionLookup();
		$this->beginTransaction( $database, __METHOD__ );
		foreach ( $database->select( 'page', 'page_id', [], __METHOD__, [ 'ORDER BY' => 'page_id' ] ) as $row ) {
			$title = Title::newFromID( $row->page_id );
			$revision = $revisions->getFirstRevision( $title );
			if ( str_contains( $revision->getComment( RevisionRecord::RAW )->text, ' moved page [[' ) ) {
				continue; // MediaWiki logs no creation of what a move leaves
			}
			$entry = new ManualLogEntry( 'create', 'create' );
			$entry->setPerformer( $revision->getUser( RevisionRecord::RAW ) );
			$entry->setTarget( $title );
			$entry->setComment( $revision->getComment( RevisionRecord::RAW )->text ?? '' );
			$entry->setTimestamp( $revision->getTimestamp() );
			$entry->setAssociatedRevId( $revision->getId() );
			$entry->insert( $database );
		}
		$this->commitTransaction( $database, __METHOD__ );
	}

	private function hideRevisions( $export ) {
		foreach ( simplexml_load_file( $export, null, LIBXML_PARSEHUGE )->page as $page ) {
			foreach ( $page->revision as $revision ) {
				if ( isset( $revision->text['deleted'] ) ) {
					$this->hide( 'revision', 'rev_deleted', RevisionRecord::DELETED_TEXT, [
						'rev_page' => Title::newFromText( (string)$page->title )->getArticleID(),
						'rev_timestamp' => $this->getDB( DB_PRIMARY )->timestamp( (string)$revision->timestamp ),
					] );
				}
			}
		}
	}

	private function hideCreation( Title $title ) {
		$this->hide( 'logging', 'log_deleted', LogPage::DELETED_ACTION, [
			'log_type' => 'create', 'log_page' => $title->getArticleID(),
		] );
	}

	private function tagCreation( int $page, string $tag ) {
		$entry = [ 'log_type' => 'create', 'log_page' => $page ];
		$log = $this->getDB( DB_PRIMARY )->selectField( 'logging', 'log_id', $entry, __METHOD__ );
		$revision = MediaWikiServices::getInstance()->getRevisionLookup()->getFirstRevision( Title::newFromID( $page ) );
		ChangeTags::addTags( $tag, null, $revision->getId(), (int)$log );
	}

	private function setProperty( int $page, string $name, string $value ) {
		$row = [ 'pp_page' => $page, 'pp_propname' => $name, 'pp_value' => $value, 'pp_sortkey' => null ];
		$this->getDB( DB_PRIMARY )->replace( 'page_props', [ [ 'pp_page', 'pp_propname' ] ], [ $row ], __METHOD__ );
	}

	private function hide( $table, $column, $bits, $where ) {
		$database = $this->getDB( DB_PRIMARY );
		$database->update( $table, [ $column => $bits ], $where, __METHOD__ );
		if ( $database->affectedRows() !== 1 ) {
			$this->fatalError( "hid {$database->affectedRows()} rows of $table, not one" );
		}
	}
}

$maintClass = AfterImport::class;
require_once RUN_MAINTENANCE_IF_MAIN;
